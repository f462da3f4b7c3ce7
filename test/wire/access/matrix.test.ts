import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/operations/index.ts';
import { operationRow, type OperationName } from '../../../src/protocol/operation-table.ts';
import { type Case, CASES, key, type Needs, type Place } from '../../support/access/access-cases.ts';
import { CALLERS, type Caller, type Sent, outcome, send } from '../../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';

type Canned = 'private' | 'public-read' | 'public-read-write' | 'authenticated-read';
type World = readonly [bucket: Canned, object: Canned];

/** Canned ACLs of the bucket and of the object in it. */
const WORLDS: readonly World[] = [
  ['private', 'private'],
  ['private', 'public-read'],
  ['private', 'authenticated-read'],
  ['public-read', 'private'],
  ['public-read-write', 'private'],
  ['public-read-write', 'public-read-write'],
];

const READABLE: readonly Canned[] = ['public-read', 'public-read-write'];

function mayRead(acl: Canned, caller: Caller): boolean {
  return READABLE.includes(acl) || (acl === 'authenticated-read' && caller === 'other');
}

/** Said again in the words of the documentation, so that it is not the code that is asked. */
function isLetIn(name: OperationName, needs: Needs, caller: Caller, [bucketAcl, objectAcl]: World): boolean {
  if (caller === 'owner') return true;
  if (caller === 'anonymous' && !operationRow(name).anonymousAllowed) return false;
  const mayWrite = bucketAcl === 'public-read-write';
  switch (needs) {
    case 'nobody':
      return true;
    case 'account':
      return caller === 'other';
    case 'owner':
      return false;
    case 'bucketRead':
      return mayRead(bucketAcl, caller);
    case 'bucketWrite':
      return mayWrite;
    case 'objectRead':
      return mayRead(objectAcl, caller);
    case 'copy':
      return mayWrite && mayRead(objectAcl, caller);
  }
}

let gateway: TestGateway;
let made = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

/** A bucket of its own for every request, with an object and an open upload of its owner. */
async function place([bucketAcl, objectAcl]: World): Promise<Place> {
  const bucket = `matrix-${++made}`;
  const asOwner = async (sent: Sent): ReturnType<typeof send> => {
    const answer = await send(gateway.port, 'owner', sent);
    expect(answer.status, outcome(answer)).toBe(200);
    return answer;
  };
  await asOwner({ method: 'PUT', target: `/${bucket}`, headers: { 'x-amz-acl': bucketAcl } });
  await asOwner({ method: 'PUT', target: `/${bucket}/object`, headers: { 'x-amz-acl': objectAcl }, body: 'secret' });
  const created = await asOwner({ method: 'POST', target: `/${bucket}/big?uploads` });
  const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
  const part = await asOwner({
    method: 'PUT',
    target: `/${bucket}/big?partNumber=1&uploadId=${uploadId}`,
    body: 'part',
  });
  return { bucket, uploadId, etag: part.headers['etag'] ?? '' };
}

test('every operation that is built has its row here', () => {
  expect(Object.keys(CASES).sort()).toEqual(Object.keys(OPERATIONS).sort());
});

describe.each(WORLDS)('bucket %s, object %s', (...world) => {
  test.each(Object.entries(CASES) as [OperationName, Case][])('%s', async (name, { needs, request, otherwise }) => {
    for (const caller of CALLERS) {
      const here = await place(world);
      const answer = await send(gateway.port, caller, request(here));
      const seen = outcome(answer);
      if (isLetIn(name, needs, caller, world)) {
        // The owner of a public bucket cannot create it again as a private one.
        expect(otherwise?.test(seen) === true || answer.status < 300, `${caller}: ${seen}`).toBe(true);
      } else {
        expect(seen, caller).toBe(answer.body === '' ? '403' : '403 AccessDenied');
        expect(answer.body).not.toContain('secret');
        const after = await send(gateway.port, 'owner', { method: 'GET', target: key()(here) });
        expect(after.body, 'the object is as it was').toBe('secret');
      }
    }
  });

  test('whether a key exists is told only to those who may list', async () => {
    const { bucket } = await place(world);
    const conditional = { 'if-match': '"0"', range: 'bytes=100-' };
    for (const caller of CALLERS) {
      const mayList = caller === 'owner' || mayRead(world[0], caller);
      for (const query of ['', '?acl', '?attributes']) {
        const headers = query === '?attributes' ? { 'x-amz-object-attributes': 'ETag' } : {};
        const missing = await send(gateway.port, caller, { method: 'GET', target: `/${bucket}/none${query}`, headers });
        expect(outcome(missing), `${caller} ${query}`).toBe(mayList ? '404 NoSuchKey' : '403 AccessDenied');
      }
      const head = await send(gateway.port, caller, { method: 'HEAD', target: `/${bucket}/none` });
      expect(head.status, caller).toBe(mayList ? 404 : 403);
      const there = await send(gateway.port, caller, {
        method: 'GET',
        target: `/${bucket}/object`,
        headers: conditional,
      });
      expect(outcome(there), caller).toBe(
        caller === 'owner' || mayRead(world[1], caller) ? '412 PreconditionFailed' : '403 AccessDenied',
      );
    }
  });
});
