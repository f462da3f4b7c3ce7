import type { KubernetesObject } from '../tools/helm.ts';

/** The parts of pods that the tests look into. */
export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly lifecycle?: unknown;
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string; readonly whenUnsatisfiable: string }[];
  readonly [field: string]: unknown;
}

export interface PodTemplate {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PodSpec;
}

/** The one object of a kind, or the one of several whose name ends so. @throws Error */
export function only(
  objects: readonly KubernetesObject[],
  kind: string,
  end = '',
): KubernetesObject & { readonly spec: Readonly<Record<string, unknown>> } {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name.endsWith(end));
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} objects ${kind} *${end}`);
  return first as KubernetesObject & { readonly spec: Readonly<Record<string, unknown>> };
}

/** The Deployment of the gateways themselves. @throws Error */
export function gatewaysOf(objects: readonly KubernetesObject[]): ReturnType<typeof only> {
  const own = ({ metadata }: KubernetesObject): boolean =>
    metadata.labels?.['app.kubernetes.io/component'] === 'gateway';
  return only(objects.filter(own), 'Deployment');
}

/** What a Deployment, a CronJob or a Pod runs. */
export function podOf(object: KubernetesObject): PodTemplate {
  if (object.kind === 'Pod') return object as unknown as PodTemplate;
  if (object.kind === 'CronJob') return podOf((object['spec'] as { jobTemplate: KubernetesObject }).jobTemplate);
  return (object['spec'] as { template: PodTemplate }).template;
}

/** @throws Error when the pod has several */
export function containerOf({ spec }: PodTemplate): Container {
  const [first, ...others] = spec.containers;
  if (first === undefined || others.length > 0) throw new Error('expected one container');
  return first;
}

/** Strings of a ConfigMap or a Secret. */
export function dataOf(object: KubernetesObject): Readonly<Record<string, string>> {
  return (object['data'] ?? object['stringData'] ?? {}) as Readonly<Record<string, string>>;
}
