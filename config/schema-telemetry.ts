import { z } from 'zod';
import { bytes, path } from './schema-parts.ts';

export const TRACING = z.strictObject({
  keepNotable: z
    .boolean()
    .default(true)
    .describe(
      'Export the spans of requests that failed or were slow also when sampling left them out (OTEL_TRACES_SAMPLER; not with always_off).',
    ),
  waitingBytes: bytes(16 * 1024 * 1024).describe(
    'Memory for what is known of backend calls until their requests end; calls beyond it are counted only.',
  ),
  waitingCalls: z.int().min(0).default(50_000).describe('The same as a number of calls.'),
});

export const ACCESS_LOG = z.strictObject({
  format: z
    .enum(['off', 'json', 's3'])
    .default('off')
    .describe("One line per request: JSON, or the format of S3's server access logs."),
  file: path(
    'File that lines are appended to, opened again on SIGHUP (log rotation). Absent: standard output.',
  ).optional(),
});
