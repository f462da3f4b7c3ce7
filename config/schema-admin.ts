import { z } from 'zod';
import { type SettingFault, KUBERNETES_API, PORT, bytes, milliseconds, secretFrom } from './schema-parts.ts';

const MIN_JOURNAL_BYTES = 256 * 1024;

const JOURNAL = z.strictObject({
  maxBytes: bytes(8 * 1024 * 1024)
    .refine((size) => size >= MIN_JOURNAL_BYTES, { error: `expected ${MIN_JOURNAL_BYTES} or more` })
    .describe(
      'Memory for recent requests, all of it taken at the start; half of it for failures and slow ones. Workers share it.',
    ),
});

const PEERS = z.strictObject({
  urls: z
    .array(z.url({ protocol: /^https?$/ }))
    .default([])
    .describe(
      'Admin ports of all replicas, as `http://10.0.0.2:9001`; the own one may be among them. The gateway passes the token of the caller on to them.',
    ),
  dnsName: z
    .string()
    .min(1)
    .optional()
    .describe('A name whose addresses are those of all replicas: in Kubernetes that of a headless Service.'),
  dnsPort: PORT.optional().describe('Admin port at these addresses; default the own one.'),
  refreshMs: milliseconds(10_000).describe('How long what the name stands for is remembered.'),
});

const TRACE_URL_TEMPLATE = z
  .string()
  .regex(/^https?:\/\/\S*\{traceId\}\S*$/, { error: 'expected an address with {traceId} in it' })
  .describe('Where a trace can be seen: `https://traces.example.com/trace/{traceId}`. The inspector links to it.');

const TOKEN_REVIEW = z
  .strictObject({
    audiences: z
      .array(z.string().min(1))
      .default([])
      .describe("Audiences one of which a token must be made for; empty: the API server's own."),
    users: z
      .array(z.string().min(1))
      .default([])
      .describe('Users who are let in: `system:serviceaccount:NAMESPACE:NAME` for service accounts.'),
    groups: z
      .array(z.string().min(1))
      .default([])
      .describe('Groups whose members are let in: `system:serviceaccounts:NAMESPACE`.'),
    rememberMs: milliseconds(30_000).describe("How long the API server's verdict on a token holds."),
    ...KUBERNETES_API,
  })
  .superRefine(({ users, groups }, context) => {
    if (users.length + groups.length === 0) {
      context.addIssue({ code: 'custom', path: ['users'], message: 'expected users or groups that may use the port' });
    }
  });

const MANAGE = z.strictObject({
  ...secretFrom(
    'token',
    'the token that may change and read, 16 characters or more; a file may hold several, one a line',
  ),
  users: z
    .array(z.string().min(1))
    .default([])
    .describe('Users of the Kubernetes cluster who may change and read; asked for as `tokenReview` says.'),
  groups: z.array(z.string().min(1)).default([]).describe('Groups whose members may.'),
});

export const ADMIN = z.strictObject({
  host: z
    .string()
    .default('127.0.0.1')
    .describe('Address of the admin port: probes, metrics, inspector. Keep it off public networks.'),
  port: PORT.default(9001).describe('Admin port; 0 takes any free one.'),
  enabled: z.boolean().default(true).describe('False: no admin port, so no probes either.'),
  inspector: z.boolean().default(true).describe('False: probes and metrics only, which need no token.'),
  ...secretFrom('token', 'the token that is asked for, 16 characters or more; a file may hold several, one a line'),
  tokenReview: TOKEN_REVIEW.optional().describe(
    "Let in tokens of the Kubernetes cluster. The gateway's service account needs the cluster role `system:auth-delegator`.",
  ),
  manage: MANAGE.optional().describe(
    'Who may make and remove users, keys, policies and buckets by the [admin API](admin-api.md), which is not there without this setting. Reading needs a token then, too. Needs `managedAccounts`.',
  ),
  openMetrics: z
    .boolean()
    .default(false)
    .describe(
      'Serve /metrics without a token. They hold no names of keys; names of buckets and accounts only where there are quotas, and with `usageMetrics`.',
    ),
  usageMetrics: z
    .int()
    .min(0)
    .max(500)
    .default(0)
    .describe(
      'Of how many buckets metrics say what lies in them ([usage and quotas](usage.md)), those with the most bytes; 0: of none. They cost a list call a minute for each thousand buckets, while somebody asks for metrics.',
    ),
  names: z
    .array(z.string().min(1))
    .default([])
    .describe('Host names besides `localhost` under which browsers may use the admin port when it asks for no token.'),
  replica: z
    .string()
    .regex(/^[\w.:-]{1,128}$/, { error: 'expected a name of letters, digits and . _ : -' })
    .optional()
    .describe('What the inspector calls this replica: a name that no other has. Default host name and process id.'),
  peers: PEERS.prefault({}).describe('Other replicas, which the inspector of any of them shows, too.'),
  journal: JOURNAL.prefault({}).describe('The recent requests of this replica.'),
  traceUrlTemplate: TRACE_URL_TEMPLATE.optional(),
});

export type AdminConfig = z.infer<typeof ADMIN>;

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** What is wrong with the access to the admin port; paths below `admin`. */
export function adminFaults(admin: AdminConfig): SettingFault[] {
  const { enabled, inspector, host, tokenFile, tokenEnv, tokenReview, manage } = admin;
  if (tokenFile !== undefined && tokenEnv !== undefined) {
    return [{ path: ['tokenFile'], message: 'expected only one of tokenFile, tokenEnv' }];
  }
  if (manage !== undefined) return manageFaults(manage, tokenReview !== undefined);
  const guarded = tokenFile !== undefined || tokenEnv !== undefined || tokenReview !== undefined;
  if (!enabled || !inspector || guarded || isLoopback(host)) return [];
  return [
    {
      path: ['host'],
      message:
        'expected a loopback address (127.0.0.1), as no token is asked for; or one of admin.tokenFile, admin.tokenEnv, admin.tokenReview; ' +
        'or admin.inspector: false, for probes and metrics alone',
    },
  ];
}

/** No change without a token, not on a loopback address either. */
function manageFaults(
  { tokenFile, tokenEnv, users, groups }: NonNullable<AdminConfig['manage']>,
  asksCluster: boolean,
): SettingFault[] {
  const fault = (setting: string, message: string): SettingFault[] => [{ path: ['manage', setting], message }];
  const both = tokenFile !== undefined && tokenEnv !== undefined;
  if (both) return fault('tokenFile', 'expected only one of tokenFile, tokenEnv');
  const named = users.length + groups.length > 0;
  if (named && !asksCluster) return fault('users', 'expected admin.tokenReview as well, which asks whose a token is');
  if (named || tokenFile !== undefined || tokenEnv !== undefined) return [];
  return fault('tokenFile', 'expected tokenFile, tokenEnv, users or groups: who may change');
}
