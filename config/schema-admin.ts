import { z } from 'zod';
import { JOURNAL, PEERS, TRACE_URL_TEMPLATE } from './schema-inspector.ts';
import { type Fault, milliseconds, path, PORT, secretFrom } from './schema-parts.ts';

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
    server: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('API server; default the one of the cluster that the gateway runs in.'),
    tokenFile: path('Token that the gateway shows to the API server; default that of its service account.').optional(),
    caFile: path("PEM file with the authority of the API server's certificate; default the cluster's.").optional(),
  })
  .superRefine(({ users, groups }, context) => {
    if (users.length + groups.length === 0) {
      context.addIssue({ code: 'custom', path: ['users'], message: 'expected users or groups that may use the port' });
    }
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
  openMetrics: z
    .boolean()
    .default(false)
    .describe('Serve /metrics without a token. They hold no names of buckets, keys or accounts.'),
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
export function adminFaults(admin: AdminConfig): Fault[] {
  const { enabled, inspector, host, tokenFile, tokenEnv, tokenReview } = admin;
  if (tokenFile !== undefined && tokenEnv !== undefined) {
    return [{ path: ['tokenFile'], message: 'expected only one of tokenFile, tokenEnv' }];
  }
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
