import { beforeEach, describe, expect, test } from 'vitest';
import { type Limited, limited, limits } from './limits.ts';
import { OTHER_CANONICAL_ID, CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { type Case, CASES, type Place } from '../../support/access/access-cases.ts';
import { type Sent, outcome } from '../../support/clients/acl-client.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import { type OperationName, operationRow } from '../../../src/protocol/operation-table.ts';

/*
 * Each operation of the table against each limit that there is: it counts on those of its sender and on those of all
 * buckets that it names, and on no other. A limit that nothing fits into makes that visible.
 */

const { gateway: shared, ask } = (() => {
  const one = sharedGateway({ rates: limits });
  return { gateway: one, ask: one.ask.bind(one) };
})();
const USER = 'arn:aws:iam::444444444444:user/robot';
const COPY_SOURCE = 'x-amz-copy-source';
let made = 0;

beforeEach(() => limited());

async function place(): Promise<Place> {
  const bucket = `rated-${++made}`;
  await shared.as('owner', { method: 'PUT', target: `/${bucket}` });
  await shared.as('owner', { method: 'PUT', target: `/${bucket}/object`, body: 'bytes' });
  const created = await ask('owner', { method: 'POST', target: `/${bucket}/big?uploads` });
  const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
  const part = await ask('owner', {
    method: 'PUT',
    target: `/${bucket}/big?partNumber=1&uploadId=${uploadId}`,
    body: 'part',
  });
  return { bucket, uploadId, etag: part.headers['etag'] ?? '' };
}

/** The request, copying from the other bucket if it copies. */
async function prepared({ request }: Case): Promise<{ sent: Sent; here: string; there: string }> {
  const [here, there] = [await place(), await place()];
  const sent = request(here);
  const copies = sent.headers?.[COPY_SOURCE] !== undefined;
  return {
    sent: copies ? { ...sent, headers: { ...sent.headers, [COPY_SOURCE]: `/${there.bucket}/object` } } : sent,
    here: here.bucket,
    there: there.bucket,
  };
}

/** Every limit, and whether a request with that row, sent by the user, counts on it. */
function scopes(
  name: OperationName,
  sent: Sent,
  { here, there }: { here: string; there: string },
): [Limited, boolean][] {
  const { method, level } = operationRow(name);
  const isPreflight = method === 'OPTIONS';
  return [
    [{ account: CANONICAL_ID }, !isPreflight],
    [{ account: OTHER_CANONICAL_ID }, false],
    [{ identity: USER }, !isPreflight],
    [{ identity: `${USER}-2` }, false],
    [{ anonymous: true }, isPreflight],
    [{ bucket: here }, level !== 'service'],
    [{ bucket: there }, sent.headers?.[COPY_SOURCE] !== undefined],
    [{ bucket: 'no-such-bucket' }, false],
  ];
}

describe.each(Object.entries(CASES) as [OperationName, Case][])('%s', (name, one) => {
  test('counts on the limits of its sender and of its buckets, and on no other', async () => {
    const { sent, ...buckets } = await prepared(one);
    const all = scopes(name, sent, buckets);
    for (const [limit] of all.filter(([, counts]) => counts)) {
      limited(limit);
      const answer = await ask('user', sent);
      expect([answer.status, answer.headers['retry-after']], JSON.stringify(limit)).toEqual([503, '1']);
      limited();
      expect((await ask('owner', { method: 'GET', target: `/${buckets.here}/object` })).body).toBe('bytes');
    }
    limited(...all.filter(([, counts]) => !counts).map(([limit]) => limit));
    expect(outcome(await ask('user', sent))).not.toContain('503');
  });
});

test('a copy within a bucket counts on its limit once', async () => {
  const { bucket } = await place();
  limited({ bucket, concurrency: 1 });
  const headers = { [COPY_SOURCE]: `/${bucket}/object` };
  expect(await shared.as('user', { method: 'PUT', target: `/${bucket}/copy`, headers })).toBe('200');
});
