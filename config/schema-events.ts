import { z } from 'zod';
import { atMostOne, exactlyOne, milliseconds, secretFrom } from './schema-parts.ts';

const NAME = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,80}$/, 'expected letters, digits, _ . -')
  .describe(
    'Last part of the ARNs by which buckets name the target: `arn:aws:sqs:us-east-1:123456789012:<name>` as a queue, `arn:aws:sns:...:<name>` as a topic, `arn:aws:lambda:...:function:<name>` as a function.',
  );
const RECEIVER = z.url({ protocol: /^https?$/ }).describe('Where events are sent by POST. Redirects are not followed.');

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
  .superRefine(atMostOne('tokenFile', 'tokenEnv'));

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

const TARGET = z.discriminatedUnion('kind', [WEBHOOK, CLOUD_EVENTS, AZURE_QUEUE]);
export type EventTarget = z.infer<typeof TARGET>;

export const EVENTS = z.strictObject({
  targets: z
    .array(TARGET)
    .default([])
    .describe('Where buckets may have their events sent. Without any, configurations that name a target are refused.'),
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
