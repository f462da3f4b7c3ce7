/** Where programs of the node find each other. The namespaces are theirs alone, so ports can be any. */
export const NODE = 'node1';
export const BACKEND_PORT = 10_000;
export const PAUSE = 'localhost/pause:1';

interface Surroundings {
  /** Working folder of the cluster. */
  readonly folder: string;
  readonly address: string;
  readonly cgroup: string;
}

/** TOML. */
export function containerd({ folder }: Surroundings): string {
  return `version = 2
root = "${folder}/containerd"
state = "/run/containerd-state"
disabled_plugins = [${['btrfs', 'zfs', 'devmapper', 'aufs'].map((name) => `"io.containerd.snapshotter.v1.${name}"`).join(', ')}]
[grpc]
address = "${folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
restrict_oom_score_adj = true
disable_apparmor = true
sandbox_image = "${PAUSE}"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "${folder}/cni"
`;
}

/** A link of its own for each pod, so that all packets between pods pass the rules of the node. */
export function podNetwork({ folder }: Surroundings): object {
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'ptp',
        ipam: {
          type: 'host-local',
          subnet: '10.202.0.0/24',
          dataDir: `${folder}/addresses`,
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  };
}

export function kubelet({ folder, address, cgroup }: Surroundings): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    // The machine is what it is: older cgroups, perhaps swap, a disk that others fill.
    failCgroupV1: false,
    failSwapOn: false,
    evictionHard: {
      'memory.available': '50Mi',
      'nodefs.available': '0%',
      'imagefs.available': '0%',
      'nodefs.inodesFree': '0%',
    },
    imageGCHighThresholdPercent: 100,
    localStorageCapacityIsolation: false,
    oomScoreAdj: 0,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroup,
    containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
    address,
    clusterDNS: [address],
    clusterDomain: 'cluster.local',
    resolvConf: '',
    podLogsDir: `${folder}/pod-logs`,
    volumePluginDir: `${folder}/volume-plugins`,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
  };
}

export function kubeProxy({ address }: Surroundings): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    bindAddress: address,
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
    clientConnection: { kubeconfig: 'kubeconfig' },
    mode: 'nftables',
    // Limits of the machine, not of the network namespace.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}

export function coreDns(): string {
  return `.:53 {
  errors
  kubernetes cluster.local {
    kubeconfig kubeconfig
  }
}
`;
}
