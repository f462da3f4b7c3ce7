import { expect, test } from 'vitest';
import { CONFIG } from '../../../config/schema.ts';
import { openRateLimits } from '../../../src/main/rate-limits.ts';

test('a bucket has one limit, that of its own name, whichever of its names is asked for', () => {
  const config = {
    rates: CONFIG.shape.rates.parse({
      buckets: [
        { pattern: 'data-*', requestsPerSecond: 2 },
        { pattern: 'tenant-*', requestsPerSecond: 1000 },
      ],
    }),
    buckets: CONFIG.shape.buckets.parse({ aliases: [{ pattern: 'tenant-*', bucket: 'data-$1' }] }),
  };
  const { limits } = openRateLimits(config, { ratesOf: () => undefined } as never);
  const admit = (name: string): void => {
    limits.admit({ sender: { kind: 'anonymous' }, buckets: [name] }, () => ({ bytesIn: 0, bytesOut: 0 }));
  };
  admit('tenant-one');
  admit('data-one');
  for (const name of ['tenant-one', 'data-one']) expect(() => admit(name)).toThrow('reduce your request rate');
  admit('tenant-two');
});
