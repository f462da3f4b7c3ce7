import { expect, test } from 'vitest';
import { bytesInFlight } from '../../../../src/observe/metrics/process-metrics.ts';
import { endedFacts } from '../../../support/observe/ended-facts.ts';

test('bodies count as long as their requests are under way, with the size that was announced', () => {
  const get = endedFacts({ operation: 'GetObject' });
  const put = endedFacts({ operation: 'PutObject' });
  const head = endedFacts({ operation: 'HeadObject', head: { method: 'HEAD' } });
  const unknown = endedFacts({ operation: 'ListObjectsV2' });
  const running = new Set([get, put, head, unknown]);
  expect(bytesInFlight(running)).toBe(0);

  get.answerBytes = 5000;
  head.answerBytes = 7000;
  put.body = {
    framing: 'streaming-signed',
    contentLength: 1070,
    declaredSize: 1000,
    received: 0,
    chunks: 0,
    declared: [],
    computed: [],
  };
  expect(bytesInFlight(running)).toBe(6000);

  running.delete(get);
  expect(bytesInFlight(running)).toBe(1000);
  running.delete(put);
  expect(bytesInFlight(running)).toBe(0);
});
