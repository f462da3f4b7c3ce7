import { z } from 'zod';
import { exactlyOne, path, secretFrom } from './schema-parts.ts';

const COMMON = {
  owner: z.string().describe('Account that owns containers without a bucket record (made by other tools).'),
  systemContainer: z.string().regex(/^[a-z0-9](?:[a-z0-9]|-(?!-)){1,61}[a-z0-9]$/, 'expected a container name').default('s3gw-system')
    .describe('Container for records, versions and uploads; never shown as a bucket.'),
};

const TOKEN = {
  tenantId: z.string().optional().describe('Microsoft Entra tenant.'),
  authorityHost: z.url().optional().describe('Token service; default the public cloud\'s.'),
  validateAuthority: z.boolean().optional().describe('False when `authorityHost` is not one that Microsoft operates.'),
  scope: z.string().optional().describe('Audience of the token.'),
};
const CLIENT_ID = z.string().optional().describe('Client id of the identity.');

const CREDENTIAL = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('connectionString'), ...secretFrom('connectionString', 'the connection string') })
    .superRefine(exactlyOne('connectionStringFile', 'connectionStringEnv')),
  z.strictObject({ kind: z.literal('accountKey'), ...secretFrom('key', 'the base64 account key') }).superRefine(exactlyOne('keyFile', 'keyEnv')),
  z.strictObject({ kind: z.literal('sas'), ...secretFrom('token', 'the SAS token') }).superRefine(exactlyOne('tokenFile', 'tokenEnv')),
  z.strictObject({ kind: z.literal('default'), clientId: CLIENT_ID, ...TOKEN }),
  z.strictObject({
    kind: z.literal('workloadIdentity'), clientId: CLIENT_ID, tokenFile: path('Federated token; default AZURE_FEDERATED_TOKEN_FILE.').optional(), ...TOKEN,
  }),
  z.strictObject({ kind: z.literal('managedIdentity'), clientId: CLIENT_ID, ...TOKEN }),
  z.strictObject({ kind: z.literal('clientSecret'), clientId: z.string().describe('Client id of the identity.'), ...secretFrom('clientSecret', 'the client secret'), ...TOKEN })
    .superRefine(exactlyOne('clientSecretFile', 'clientSecretEnv')),
]);

const MILLISECONDS = z.int().min(1).optional();

const AZURE = z.strictObject({
  kind: z.literal('azure').describe('Azure Blob Storage.'),
  ...COMMON,
  endpoint: z.url({ protocol: /^https?$/ }).optional().describe('Blob endpoint; default built from account and endpointSuffix.'),
  account: z.string().optional().describe('Storage account; default read off the endpoint.'),
  endpointSuffix: z.string().optional().describe('Default core.windows.net; sovereign clouds have others.'),
  credential: CREDENTIAL.describe('How the gateway proves who it is.'),
  maxConnections: z.int().min(1).optional().describe('Connections to the service at a time; default 256.'),
  timeouts: z.strictObject({
    connect: MILLISECONDS.describe('Until a connection stands.'),
    response: MILLISECONDS.describe('From the end of a request to the head of its answer.'),
    copy: MILLISECONDS.describe('The same for server-side copies.'),
    idle: MILLISECONDS.describe('Longest silence within a body.'),
    keepAlive: MILLISECONDS.describe('An unused connection is closed after this.'),
  }).optional().describe('Milliseconds.'),
  retries: z.strictObject({
    attempts: z.int().min(1).optional().describe('Times one call is sent at most.'),
    baseDelay: z.int().min(0).optional().describe('Upper bound of the first pause, milliseconds.'),
    maxDelay: z.int().min(0).optional().describe('Upper bound of any pause, milliseconds.'),
    budget: z.int().min(0).optional().describe('Retries that may be spent in a burst.'),
  }).optional(),
});

const AZURITE = z.strictObject({
  kind: z.literal('azurite').describe('Microsoft\'s emulator, started and stopped with the gateway: for trying out.'),
  ...COMMON,
  folder: path('Folder for the data; absent: in memory, gone with the process.').optional(),
});

const MEMORY = z.strictObject({
  kind: z.literal('memory').describe('In the memory of this process, gone with it: for tests.'),
  ...COMMON,
});

export const BACKEND = z.discriminatedUnion('kind', [AZURE, AZURITE, MEMORY]);

export type BackendConfig = z.infer<typeof BACKEND>;
export type AzureBackendConfig = z.infer<typeof AZURE>;
export type AzureCredentialConfig = z.infer<typeof CREDENTIAL>;
