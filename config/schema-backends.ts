import { z } from 'zod';
import { BACKEND_CLASSES } from './schema-classes.ts';
import { exactlyOne, path, secretFrom } from './schema-parts.ts';

const COMMON = {
  owner: z.string().describe('Account that owns containers without a bucket record (made by other tools).'),
  systemContainer: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9]|-(?!-)){1,61}[a-z0-9]$/, 'expected a container name')
    .default('s3gw-system')
    .describe('Container for records, versions and uploads; never shown as a bucket.'),
  storageClasses: BACKEND_CLASSES.optional().describe(
    'What this backend has otherwise than `storageClasses` of all; `labels`: its classes are labels.',
  ),
};

/** Keys that clients name by `x-amz-server-side-encryption-aws-kms-key-id`. */
const KMS_KEYS = (service: string, name: z.ZodString): z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodString>> =>
  z
    .record(z.string().min(1).max(2048), name)
    .optional()
    .describe(
      `${service}, by the names of KMS keys that clients say (SSE-KMS); \`alias/aws/s3\` is what they mean who name none. Others are refused. Absent: SSE-KMS is not offered.`,
    );

const TOKEN = {
  tenantId: z.string().optional().describe('Microsoft Entra tenant.'),
  authorityHost: z.url().optional().describe("Token service; default the public cloud's."),
  validateAuthority: z.boolean().optional().describe('False when `authorityHost` is not one that Microsoft operates.'),
  scope: z.string().optional().describe('Audience of the token.'),
};
const CLIENT_ID = z.string().optional().describe('Client id of the identity.');

const IDENTITIES = [
  z.strictObject({ kind: z.literal('default'), clientId: CLIENT_ID, ...TOKEN }),
  z.strictObject({
    kind: z.literal('workloadIdentity'),
    clientId: CLIENT_ID,
    tokenFile: path('Federated token; default AZURE_FEDERATED_TOKEN_FILE.').optional(),
    ...TOKEN,
  }),
  z.strictObject({ kind: z.literal('managedIdentity'), clientId: CLIENT_ID, ...TOKEN }),
  z
    .strictObject({
      kind: z.literal('clientSecret'),
      clientId: z.string().describe('Client id of the identity.'),
      ...secretFrom('clientSecret', 'the client secret'),
      ...TOKEN,
    })
    .superRefine(exactlyOne('clientSecretFile', 'clientSecretEnv')),
] as const;

const CREDENTIAL = z.discriminatedUnion('kind', [
  z
    .strictObject({ kind: z.literal('connectionString'), ...secretFrom('connectionString', 'the connection string') })
    .superRefine(exactlyOne('connectionStringFile', 'connectionStringEnv')),
  z
    .strictObject({ kind: z.literal('accountKey'), ...secretFrom('key', 'the base64 account key') })
    .superRefine(exactlyOne('keyFile', 'keyEnv')),
  z
    .strictObject({ kind: z.literal('sas'), ...secretFrom('token', 'the SAS token') })
    .superRefine(exactlyOne('tokenFile', 'tokenEnv')),
  ...IDENTITIES,
]);

/** What gives tokens of Microsoft Entra ID. */
export const AZURE_IDENTITY = z.discriminatedUnion('kind', [...IDENTITIES]);

const MILLISECONDS = z.int().min(1).optional();

/** Settings that both cloud services have. */
const CONNECTIONS = z
  .int()
  .min(1)
  .optional()
  .describe('Calls to the service at a time, but for large bodies; more wait. Default 256.');
const TRANSFERS = z
  .int()
  .min(1)
  .optional()
  .describe(
    'Connections for large bodies at a time, each way; answers beyond them go on in small pieces. Default 256.',
  );
const TIMEOUTS = z
  .strictObject({
    connect: MILLISECONDS.describe('Until a connection stands; default 5000.'),
    response: MILLISECONDS.describe(
      'From the end of a request to the head of its answer, and on to the end of a document; default 20000.',
    ),
    assemble: MILLISECONDS.describe(
      'The same for calls that put staged parts together; default three times `response`.',
    ),
    copy: MILLISECONDS.describe('The same for server-side copies; default 300000.'),
    total: MILLISECONDS.describe(
      'What one S3 request waits in vain, all its calls and their repetitions together; less than the patience of clients. Default 45000.',
    ),
    idle: MILLISECONDS.describe('Longest silence within a body; default 30000.'),
    keepAlive: MILLISECONDS.describe('An unused connection is closed after this; default 55000.'),
  })
  .optional()
  .describe('Milliseconds.');
const RETRIES = {
  attempts: z.int().min(1).optional().describe('Times one call is sent at most.'),
  baseDelay: z.int().min(0).optional().describe('Upper bound of the first pause, milliseconds.'),
  maxDelay: z.int().min(0).optional().describe('Upper bound of any pause, milliseconds.'),
  budget: z.int().min(0).optional().describe('Retries that may be spent in a burst.'),
};

const AZURE = z.strictObject({
  kind: z.literal('azure').describe('Azure Blob Storage.'),
  ...COMMON,
  kmsKeys: KMS_KEYS('Encryption scopes of the account', z.string().regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/)),
  endpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Blob endpoint; default built from account and endpointSuffix.'),
  account: z.string().optional().describe('Storage account; default read off the endpoint.'),
  endpointSuffix: z.string().optional().describe('Default core.windows.net; sovereign clouds have others.'),
  credential: CREDENTIAL.describe('How the gateway proves who it is.'),
  maxConnections: CONNECTIONS,
  maxTransfers: TRANSFERS,
  timeouts: TIMEOUTS,
  retries: z.strictObject(RETRIES).optional(),
});

export const GCS_CREDENTIAL = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z
      .literal('default')
      .describe(
        'Application default credentials: the metadata server (GKE, Cloud Run, Compute Engine), environment, gcloud.',
      ),
  }),
  z
    .strictObject({ kind: z.literal('serviceAccountKey'), ...secretFrom('key', 'the JSON key of a service account') })
    .superRefine(exactlyOne('keyFile', 'keyEnv')),
  z.strictObject({
    kind: z.literal('workloadIdentity'),
    configurationFile: path('JSON configuration of workload identity federation.'),
  }),
  z.strictObject({ kind: z.literal('anonymous').describe('No credential: for emulators, with an endpoint.') }),
]);

const GCS = z.strictObject({
  kind: z.literal('gcs').describe('Google Cloud Storage.'),
  ...COMMON,
  kmsKeys: KMS_KEYS(
    'Resource names of keys of Cloud KMS, in the location of the buckets',
    z.string().regex(/^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/),
  ),
  bucketPrefix: z
    .string()
    .regex(
      /^(?:[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?-)?$/,
      'expected lower-case letters, digits and hyphens, ending in a hyphen; or nothing',
    )
    .describe(
      "Stands before every container's name to make the bucket's: bucket names are shared by all of Google's customers. Ends in a hyphen, or is empty.",
    ),
  endpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Scheme, host and port; default `https://storage.googleapis.com`.'),
  projectId: z.string().min(1).optional().describe("Project of the buckets; default the credential's."),
  location: z.string().min(1).optional().describe("Location of new buckets; default the service's, `US`."),
  storageClass: z
    .string()
    .min(1)
    .optional()
    .describe("Storage class of new buckets; default the service's, `STANDARD`."),
  credential: GCS_CREDENTIAL.describe('How the gateway proves who it is.'),
  maxConnections: CONNECTIONS,
  maxTransfers: TRANSFERS,
  timeouts: TIMEOUTS,
  retries: z
    .strictObject({
      ...RETRIES,
      nameWait: z
        .int()
        .min(0)
        .optional()
        .describe(
          'Milliseconds that one request waits altogether for turns on names that the service throttles, and for others that change the same key; default 8000.',
        ),
      nameSpacing: z.int().min(0).optional().describe('Milliseconds between two changes of such a name; default 1000.'),
    })
    .optional(),
});

const GCS_DOUBLE = z.strictObject({
  kind: z
    .literal('gcs-double')
    .describe('A double of Google Cloud Storage in the memory of this process, gone with it: for trying out.'),
  ...COMMON,
});

const AZURITE = z.strictObject({
  kind: z.literal('azurite').describe("Microsoft's emulator, started and stopped with the gateway: for trying out."),
  ...COMMON,
  folder: path(
    'Folder for the data, of one process at a time: a second one, a command like `npm run sweep` too, is refused. Absent: in memory, gone with the process.',
  ).optional(),
});

const MEMORY = z.strictObject({
  kind: z.literal('memory').describe('In the memory of this process, gone with it: for tests.'),
  ...COMMON,
});

export const BACKEND = z.discriminatedUnion('kind', [AZURE, AZURITE, GCS, GCS_DOUBLE, MEMORY]);

export type BackendConfig = z.infer<typeof BACKEND>;

/** It lives in the memory of the gateway's process, or ends with the process that started it. */
export function belongsToOneProcess({ kind }: BackendConfig): boolean {
  return kind === 'memory' || kind === 'gcs-double' || kind === 'azurite';
}

export type AzureBackendConfig = z.infer<typeof AZURE>;
export type AzureCredentialConfig = z.infer<typeof CREDENTIAL>;
export type GcsBackendConfig = z.infer<typeof GCS>;
export type GcsCredentialConfig = z.infer<typeof GCS_CREDENTIAL>;
export type AzureIdentityConfig = z.infer<typeof AZURE_IDENTITY>;
