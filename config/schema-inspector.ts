import { z } from 'zod';
import { bytes, milliseconds, PORT } from './schema-parts.ts';

const MIN_JOURNAL_BYTES = 256 * 1024;

export const JOURNAL = z.strictObject({
  maxBytes: bytes(8 * 1024 * 1024)
    .refine((size) => size >= MIN_JOURNAL_BYTES, { error: `expected ${MIN_JOURNAL_BYTES} or more` })
    .describe(
      'Memory for recent requests, all of it taken at the start; half of it for failures and slow ones. Workers share it.',
    ),
});

export const PEERS = z.strictObject({
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

export const TRACE_URL_TEMPLATE = z
  .string()
  .regex(/^https?:\/\/\S*\{traceId\}\S*$/, { error: 'expected an address with {traceId} in it' })
  .describe('Where a trace can be seen: `https://traces.example.com/trace/{traceId}`. The inspector links to it.');
