import { z } from 'zod';
import { AZURE_IDENTITY, GCS_CREDENTIAL } from './schema-backends.ts';
import { type SettingFault, atMostOne, exactlyOne, milliseconds, secretFrom } from './schema-parts.ts';

const NAME = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,80}$/, 'expected letters, digits, _ . -')
  .describe(
    'Last part of the ARNs by which buckets name the target: `arn:aws:sqs:us-east-1:123456789012:<name>` as a queue, `arn:aws:sns:...:<name>` as a topic, `arn:aws:lambda:...:function:<name>` as a function.',
  );

const ADDRESS = z.url({ protocol: /^https?$/ }).refine(hasNoUser, 'expected a URL without user and password');
const RECEIVER = ADDRESS.describe('Where events are sent by POST. Redirects are not followed.');

const SAFE_FOR_SECRETS = 'expected https, or http to this machine, since a secret is sent there';
/** Of a service that is sent a secret. */
export const SERVICE_URL = ADDRESS.refine(isSafeForSecrets, SAFE_FOR_SECRETS);

const WEBHOOK = z
  .strictObject({
    name: NAME,
    kind: z.literal('webhook').describe("POST of S3's own JSON, up to 100 records in one. 2xx: taken."),
    url: RECEIVER,
    ...secretFrom('secret', 'the key of the HMAC-SHA256 that signs each message (`x-s3gw-signature`)'),
  })
  .superRefine(atMostOne('secretFile', 'secretEnv'));

const CLOUD_EVENTS = z
  .strictObject({
    name: NAME,
    kind: z.literal('cloudEvents').describe('CloudEvents 1.0 over HTTP. 2xx: taken.'),
    url: RECEIVER,
    mode: z.enum(['structured', 'batch']).default('structured').describe('One event a request, or up to 100 in one.'),
    ...secretFrom('token', 'the bearer token that is sent along'),
  })
  .superRefine(atMostOne('tokenFile', 'tokenEnv'))
  .refine(({ url, tokenFile, tokenEnv }) => (tokenFile ?? tokenEnv) === undefined || isSafeForSecrets(url), {
    path: ['url'],
    message: SAFE_FOR_SECRETS,
  });

const AZURE_QUEUE = z
  .strictObject({
    name: NAME,
    kind: z.literal('azureQueue').describe("A queue of Azure Queue Storage: S3's own JSON, a message an event."),
    ...secretFrom(
      'url',
      'the URL of the queue with a SAS that may add messages (`https://account.queue.core.windows.net/queue?sv=...`)',
    ),
  })
  .superRefine(exactlyOne('urlFile', 'urlEnv'));

const EVENT_GRID = z
  .strictObject({
    name: NAME,
    kind: z
      .literal('eventGrid')
      .describe('A custom topic of Azure Event Grid with the schema CloudEvents 1.0: batches of up to 64.'),
    url: SERVICE_URL.describe('Endpoint of the topic: `https://<topic>.<region>-1.eventgrid.azure.net/api/events`.'),
    ...secretFrom('key', 'an access key of the topic'),
    credential: AZURE_IDENTITY.optional().describe(
      'An identity that may send (EventGrid Data Sender), instead of a key.',
    ),
  })
  .superRefine(exactlyOne('keyFile', 'keyEnv', 'credential'));

const SERVICE_BUS = z
  .strictObject({
    name: NAME,
    kind: z
      .literal('serviceBus')
      .describe("A queue or topic of Azure Service Bus: S3's own JSON, a message an event, a session a key."),
    url: SERVICE_URL.describe('Queue or topic: `https://<namespace>.servicebus.windows.net/<queue>`.'),
    keyName: z.string().min(1).optional().describe('Shared access policy that may send, whose key is given.'),
    ...secretFrom('key', 'the key of that policy'),
    credential: AZURE_IDENTITY.optional().describe(
      'An identity that may send (Azure Service Bus Data Sender), instead of a key.',
    ),
  })
  .superRefine(exactlyOne('keyFile', 'keyEnv', 'credential'))
  .refine(
    ({ keyName, credential }) => (keyName === undefined) === (credential !== undefined),
    'expected keyName with a key, and without one none',
  );

const PUB_SUB = z.strictObject({
  name: NAME,
  kind: z
    .literal('pubSub')
    .describe("A topic of Google Cloud Pub/Sub: S3's own JSON, a message an event, ordered by `<bucket>/<key>`."),
  topic: z
    .string()
    .regex(/^projects\/[^/]+\/topics\/[^/]+$/, 'expected projects/<project>/topics/<topic>')
    .describe('`projects/<project>/topics/<topic>`.'),
  endpoint: SERVICE_URL.default('https://pubsub.googleapis.com').describe(
    'Scheme and host. Messages stay in order within one region: `https://europe-west1-pubsub.googleapis.com`.',
  ),
  credential: GCS_CREDENTIAL.describe('An identity that may publish (Pub/Sub Publisher).'),
});

const TARGET = z.discriminatedUnion('kind', [WEBHOOK, CLOUD_EVENTS, AZURE_QUEUE, EVENT_GRID, SERVICE_BUS, PUB_SUB]);
export type EventTarget = z.infer<typeof TARGET>;

/** Their messages hold S3's own JSON, or that of EventBridge. */
const TAKE_JSON: readonly EventTarget['kind'][] = ['webhook', 'azureQueue', 'serviceBus', 'pubSub'];

export const EVENTS = z.strictObject({
  targets: z
    .array(TARGET)
    .default([])
    .describe('Where buckets may have their events sent. Without any, configurations that name a target are refused.'),
  eventBridge: z
    .string()
    .optional()
    .describe(
      "Name of the target that stands for Amazon EventBridge: it gets the events of buckets that ask for EventBridge, in EventBridge's JSON, one a message. Absent: they are refused.",
    ),
  pollMs: z
    .int()
    .min(100)
    .default(2000)
    .describe('How often each process looks for events to be sent; it looks at once while there are some.'),
  maxAgeMs: milliseconds(3 * 24 * 60 * 60_000).describe(
    'Events that their target has not taken for so long are given up, and counted.',
  ),
  maxBehind: z
    .int()
    .min(1)
    .default(1_000_000)
    .describe(
      'Most events of one configuration of a bucket that wait for their target; beyond it the oldest are given up, and counted.',
    ),
});

/** Targets are told apart by their names; what stands for EventBridge is one of them. */
export function targetFaults({ targets, eventBridge }: z.infer<typeof EVENTS>): SettingFault[] {
  const faults: SettingFault[] = targets.flatMap(({ name }, at) =>
    targets.findIndex((other) => other.name === name) === at
      ? []
      : [{ path: ['targets', at, 'name'], message: 'expected a name that no other target has' }],
  );
  const bridge = targets.find(({ name }) => name === eventBridge);
  if (eventBridge !== undefined && (bridge === undefined || !TAKE_JSON.includes(bridge.kind))) {
    const message = `expected the name of a target of one of the kinds ${TAKE_JSON.join(', ')}`;
    faults.push({ path: ['eventBridge'], message });
  }
  return faults;
}

/** What is no URL is refused already, here and below. */
function hasNoUser(text: string): boolean {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '');
}

function isSafeForSecrets(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return true;
  const { protocol, hostname } = url;
  return (
    protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
  );
}
