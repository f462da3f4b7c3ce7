import { z } from 'zod';

/**
 * What values.yaml may hold; values.schema.json is made from it and from the schema of the gateway's configuration.
 * Unknown names are errors. Parts that Kubernetes itself defines are left to Kubernetes.
 */
const NAME = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)
  .or(z.literal(''));
const PORT = z.int().min(1).max(65535);
const SECONDS = z.int().min(0);
const TEXT = z.string();
const FLAG = z.boolean();
const STRINGS = z.array(z.string());
const STRING_MAP = z.record(z.string(), z.string());
const KUBERNETES = z.looseObject({});
const KUBERNETES_LIST = z.array(KUBERNETES);
const QUANTITY = z.string().regex(/^([0-9]+(\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?)?$/);
const WHEN_UNSATISFIABLE = z.enum(['ScheduleAnyway', 'DoNotSchedule']);
const COUNT_OR_PERCENT = z
  .int()
  .min(0)
  .or(z.string().regex(/^[0-9]+%$/));

/** All members may be left out: values.yaml has them. */
function part(shape: Readonly<Record<string, z.ZodType>>): z.ZodOptional<z.ZodObject> {
  return z
    .strictObject(Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, member.optional()])))
    .optional();
}

const SECRET = z.union([z.strictObject({ existingSecret: NAME }), z.strictObject({ data: STRING_MAP })]);

const POLICIES = part({
  envoyGateway: part({ enabled: FLAG, gatewayName: NAME, sectionName: NAME }),
  gke: part({ enabled: FLAG }),
  applicationGatewayForContainers: part({ enabled: FLAG }),
  requestSeconds: z.int().min(1),
});

const AUTOSCALING = part({
  enabled: FLAG,
  minReplicas: z.int().min(1),
  maxReplicas: z.int().min(1),
  cpuUtilization: z.int().min(1).nullable(),
  inFlightBytes: QUANTITY,
  extraMetrics: KUBERNETES_LIST,
  behavior: KUBERNETES,
});

const METRICS = part({
  serviceMonitor: part({ enabled: FLAG, labels: STRING_MAP, interval: z.string().regex(/^[0-9]+(ms|s|m)$/) }),
  rules: part({ enabled: FLAG, labels: STRING_MAP }),
  dashboard: part({ enabled: FLAG, labels: STRING_MAP, annotations: STRING_MAP }),
});

const PROBE = part({
  initialDelaySeconds: SECONDS,
  periodSeconds: z.int().min(1),
  timeoutSeconds: z.int().min(1),
  failureThreshold: z.int().min(1),
  successThreshold: z.int().min(1),
});

/** The members that belong to Deployment and pod. */
const POD = {
  replicas: z.int().min(0),
  revisionHistoryLimit: z.int().min(0),
  rollout: part({ maxUnavailable: COUNT_OR_PERCENT, maxSurge: COUNT_OR_PERCENT, minReadySeconds: SECONDS }),
  drain: part({
    largestPartMiB: z.number().gt(0),
    slowestClientMiBPerSecond: z.number().gt(0),
    delaySeconds: SECONDS,
    preStopSleepSeconds: SECONDS,
    marginSeconds: SECONDS,
  }),
  resources: KUBERNETES,
  probes: part({ startup: PROBE, readiness: PROBE, liveness: PROBE }),
  hostNetwork: FLAG,
  podAnnotations: STRING_MAP,
  podLabels: STRING_MAP,
  nodeSelector: STRING_MAP,
  tolerations: KUBERNETES_LIST,
  affinity: KUBERNETES,
  priorityClassName: NAME,
  podSecurityContext: KUBERNETES,
  securityContext: KUBERNETES,
  extraEnv: KUBERNETES_LIST,
  extraEnvFrom: KUBERNETES_LIST,
  extraVolumes: KUBERNETES_LIST,
  extraVolumeMounts: KUBERNETES_LIST,
  initContainers: KUBERNETES_LIST,
  sidecars: KUBERNETES_LIST,
  topologySpread: part({ enabled: FLAG, zones: WHEN_UNSATISFIABLE, nodes: WHEN_UNSATISFIABLE }),
};

/** The members by which the gateway is reached. */
const NETWORK = {
  listen: part({ host: TEXT, port: PORT }),
  tls: part({
    enabled: FLAG,
    secretName: NAME,
    certificate: part({ enabled: FLAG, issuerRef: KUBERNETES, dnsNames: STRINGS, duration: TEXT, renewBefore: TEXT }),
  }),
  service: part({
    type: z.enum(['ClusterIP', 'LoadBalancer', 'NodePort']),
    port: PORT.nullable(),
    nodePort: PORT.nullable(),
    annotations: STRING_MAP,
    loadBalancerSourceRanges: STRINGS,
    externalTrafficPolicy: z.enum(['', 'Local', 'Cluster']),
    trafficDistribution: TEXT,
  }),
  admin: part({
    host: TEXT,
    port: PORT,
    inspector: part({ enabled: FLAG, existingSecret: NAME }),
    manage: part({ enabled: FLAG, existingSecret: NAME, accountsSecret: NAME }),
    service: part({ annotations: STRING_MAP }),
  }),
  ingress: part({
    enabled: FLAG,
    className: NAME,
    controller: z.enum(['', 'agic', 'gke']),
    annotations: STRING_MAP,
    hosts: STRINGS,
    wildcard: FLAG,
    tlsSecretName: NAME,
  }),
  httpRoute: part({
    enabled: FLAG,
    parentRefs: KUBERNETES_LIST,
    annotations: STRING_MAP,
    hostnames: STRINGS,
    wildcard: FLAG,
    timeouts: KUBERNETES,
  }),
  policies: POLICIES,
  networkPolicy: part({
    enabled: FLAG,
    clients: KUBERNETES_LIST,
    admins: KUBERNETES_LIST,
    prometheusNamespace: NAME,
    egress: part({ enabled: FLAG, extra: KUBERNETES_LIST }),
  }),
};

/** A CronJob of the sweeper's command. */
const TIMED_COMMAND = part({
  enabled: FLAG,
  schedule: TEXT,
  args: STRINGS,
  activeDeadlineSeconds: z.int().min(1),
  suspend: FLAG,
  resources: KUBERNETES,
});

export const VALUES = z.strictObject({
  /** Stands in for the schema of the configuration. */
  config: KUBERNETES,
  secrets: z.record(z.string().regex(/^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/), SECRET).optional(),
  image: part({
    repository: z.string().min(1),
    tag: z.string().regex(/^[\w.-]*$/),
    digest: z.string().regex(/^(sha256:[0-9a-f]{64})?$/),
    pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']),
  }),
  imagePullSecrets: KUBERNETES_LIST.optional(),
  nameOverride: NAME.optional(),
  fullnameOverride: NAME.optional(),
  identity: part({ azure: part({ clientId: TEXT, tenantId: TEXT }), gke: part({ serviceAccount: TEXT }) }),
  serviceAccount: part({ create: FLAG, name: NAME, annotations: STRING_MAP }),
  autoscaling: AUTOSCALING,
  podDisruptionBudget: part({ enabled: FLAG, maxUnavailable: COUNT_OR_PERCENT }),
  metrics: METRICS,
  preflight: part({ enabled: FLAG }),
  sweeper: TIMED_COMMAND,
  lifecycle: TIMED_COMMAND,
  inventory: TIMED_COMMAND,
  usage: TIMED_COMMAND,
  cosi: part({
    enabled: FLAG,
    driverName: z.string().regex(/^([A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?)?$/),
    account: TEXT,
    endpoint: z.string().regex(/^(https?:\/\/[^/?#@]+)?$/),
    token: part({ existingSecret: NAME, audience: TEXT }),
    seed: part({ existingSecret: NAME }),
    sidecar: part({ image: TEXT, resources: KUBERNETES }),
    resources: KUBERNETES,
  }),
  prove: part({ enabled: FLAG, args: STRINGS, resources: KUBERNETES }),
  test: part({ accessKeyId: TEXT, bucket: TEXT }),
  extraObjects: KUBERNETES_LIST.optional(),
  ...Object.fromEntries(Object.entries({ ...POD, ...NETWORK }).map(([name, member]) => [name, member.optional()])),
  /** What a parent chart hands to all its charts. */
  global: KUBERNETES.optional(),
});
