import { expect, test } from 'vitest';
import { InFlightBytes } from '../../../../src/observe/metrics/in-flight-bytes.ts';
import { endedFacts } from '../../../support/ended-facts.ts';

test('bodies count as long as their requests are under way, with the size that was announced', () => {
  const underWay = new InFlightBytes();
  const get = endedFacts({ operation: 'GetObject' });
  const put = endedFacts({ operation: 'PutObject' });
  const head = endedFacts({ operation: 'HeadObject', head: { method: 'HEAD' } });
  const unknown = endedFacts({ operation: 'ListObjectsV2' });
  for (const facts of [get, put, head, unknown]) underWay.begun(facts);
  expect(underWay.total).toBe(0);

  get.answerBytes = 5000;
  head.answerBytes = 7000;
  put.body = { framing: 'streaming-signed', contentLength: 1070, declaredSize: 1000, received: 0, chunks: 0, declared: [], computed: [] };
  expect(underWay.total).toBe(6000);

  underWay.ended(get);
  underWay.ended(endedFacts({ operation: 'HeadObject' }));
  expect(underWay.total).toBe(1000);
  underWay.ended(put);
  expect(underWay.total).toBe(0);
});
