import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UNSET_CONFIGURATIONS } from '../../src/operations/bucket/unset-configuration.ts';
import { OPERATIONS } from '../../src/operations/index.ts';
import { operationRow, type OperationName } from '../../src/protocol/operation-table.ts';
import { CALLERS, type Caller, type Sent, contentMd5, outcome, send } from '../support/acl-client.ts';
import { type TestGateway, startTestGateway } from '../support/gateway.ts';

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

interface Place {
  readonly bucket: string;
  readonly uploadId: string;
  readonly etag: string;
}

type Needs = 'nobody' | 'account' | 'owner' | 'bucketRead' | 'bucketWrite' | 'objectRead' | 'copy';

interface Case {
  readonly needs: Needs;
  readonly request: (place: Place) => Sent;
  /** A refusal for another reason, which shows that the caller was let in. */
  readonly otherwise?: RegExp;
}

const DELETE = '<Delete><Object><Key>object</Key></Object></Delete>';
const TAGGING = '<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>';
const VERSIONING = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const OBJECT_LOCK = '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>';
const RETENTION = '<Retention/>';
const LEGAL_HOLD = '<LegalHold><Status>ON</Status></LegalHold>';
const OWNERSHIP = '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerPreferred</ObjectOwnership></Rule></OwnershipControls>';
const ACCESS_BLOCK = '<PublicAccessBlockConfiguration><BlockPublicPolicy>true</BlockPublicPolicy></PublicAccessBlockConfiguration>';
const key = (query = '') => ({ bucket }: Place): string => `/${bucket}/object${query}`;
const bucketGet = (query: string) => ({ bucket }: Place): Sent => ({ method: 'GET', target: `/${bucket}${query}` });
const bucketPut = (query: string, body: string) => ({ bucket }: Place): Sent => ({ method: 'PUT', target: `/${bucket}${query}`, body });
const bucketDelete = (query: string) => ({ bucket }: Place): Sent => ({ method: 'DELETE', target: `/${bucket}${query}` });
const upload = ({ bucket, uploadId }: Place, more = ''): string => `/${bucket}/big?${more}uploadId=${uploadId}`;

/** Settings that were never made: only the owner may be told so. */
function unsetCases(): Readonly<Partial<Record<OperationName, Case>>> {
  const names = Object.keys(UNSET_CONFIGURATIONS) as OperationName[];
  return Object.fromEntries(names.map((name) => {
    const { method, match } = operationRow(name);
    const query = `${match.subresource ?? ''}${match.query === undefined ? '' : `&${match.query}=1`}`;
    return [name, { needs: 'owner', otherwise: /^404 /, request: ({ bucket }: Place): Sent => ({ method, target: `/${bucket}?${query}` }) }];
  }));
}

/** The buckets here have no object lock, which is said after the permission. */
const NO_LOCK = /^400 InvalidRequest$/;

const CASES: Readonly<Partial<Record<OperationName, Case>>> = {
  ...unsetCases(),
  OptionsBucket: { needs: 'nobody', otherwise: /^400 BadRequest$/, request: ({ bucket }) => ({ method: 'OPTIONS', target: `/${bucket}` }) },
  OptionsObject: { needs: 'nobody', otherwise: /^400 BadRequest$/, request: (place) => ({ method: 'OPTIONS', target: key()(place) }) },
  ListBuckets: { needs: 'account', request: () => ({ method: 'GET', target: '/' }) },
  CreateBucket: { needs: 'account', otherwise: /^409 BucketAlreadyExists$/, request: ({ bucket }) => ({ method: 'PUT', target: `/${bucket}` }) },
  HeadBucket: { needs: 'bucketRead', request: ({ bucket }) => ({ method: 'HEAD', target: `/${bucket}` }) },
  DeleteBucket: { needs: 'owner', otherwise: /^409 BucketNotEmpty$/, request: ({ bucket }) => ({ method: 'DELETE', target: `/${bucket}` }) },
  GetBucketLocation: { needs: 'owner', request: bucketGet('?location') },
  GetBucketAcl: { needs: 'owner', request: bucketGet('?acl') },
  PutBucketAcl: { needs: 'owner', request: ({ bucket }) => ({ method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'private' } }) },
  GetBucketTagging: { needs: 'owner', otherwise: /^404 NoSuchTagSet$/, request: bucketGet('?tagging') },
  PutBucketTagging: { needs: 'owner', request: ({ bucket }) => ({ method: 'PUT', target: `/${bucket}?tagging`, body: TAGGING }) },
  DeleteBucketTagging: { needs: 'owner', request: ({ bucket }) => ({ method: 'DELETE', target: `/${bucket}?tagging` }) },
  GetBucketVersioning: { needs: 'owner', request: bucketGet('?versioning') },
  PutBucketVersioning: { needs: 'owner', request: bucketPut('?versioning', VERSIONING) },
  GetObjectLockConfiguration: { needs: 'owner', otherwise: /^404 ObjectLockConfigurationNotFoundError$/, request: bucketGet('?object-lock') },
  PutObjectLockConfiguration: { needs: 'owner', otherwise: /^409 InvalidBucketState$/, request: bucketPut('?object-lock', OBJECT_LOCK) },
  GetBucketOwnershipControls: { needs: 'owner', otherwise: /^404 OwnershipControlsNotFoundError$/, request: bucketGet('?ownershipControls') },
  PutBucketOwnershipControls: { needs: 'owner', request: bucketPut('?ownershipControls', OWNERSHIP) },
  DeleteBucketOwnershipControls: { needs: 'owner', request: bucketDelete('?ownershipControls') },
  GetPublicAccessBlock: { needs: 'owner', otherwise: /^404 NoSuchPublicAccessBlockConfiguration$/, request: bucketGet('?publicAccessBlock') },
  PutPublicAccessBlock: { needs: 'owner', request: bucketPut('?publicAccessBlock', ACCESS_BLOCK) },
  DeletePublicAccessBlock: { needs: 'owner', request: bucketDelete('?publicAccessBlock') },
  ListObjects: { needs: 'bucketRead', request: bucketGet('') },
  ListObjectsV2: { needs: 'bucketRead', request: bucketGet('?list-type=2') },
  ListObjectVersions: { needs: 'bucketRead', request: bucketGet('?versions') },
  ListMultipartUploads: { needs: 'bucketRead', request: bucketGet('?uploads') },
  PutObject: { needs: 'bucketWrite', request: (place) => ({ method: 'PUT', target: key()(place), body: 'new' }) },
  GetObject: { needs: 'objectRead', request: (place) => ({ method: 'GET', target: key()(place) }) },
  HeadObject: { needs: 'objectRead', request: (place) => ({ method: 'HEAD', target: key()(place) }) },
  GetObjectAttributes: {
    needs: 'objectRead',
    request: (place) => ({ method: 'GET', target: key('?attributes')(place), headers: { 'x-amz-object-attributes': 'ETag' } }),
  },
  GetObjectAcl: { needs: 'owner', request: (place) => ({ method: 'GET', target: key('?acl')(place) }) },
  PutObjectAcl: { needs: 'owner', request: (place) => ({ method: 'PUT', target: key('?acl')(place), headers: { 'x-amz-acl': 'private' } }) },
  GetObjectTagging: { needs: 'owner', request: (place) => ({ method: 'GET', target: key('?tagging')(place) }) },
  PutObjectTagging: { needs: 'owner', request: (place) => ({ method: 'PUT', target: key('?tagging')(place), body: TAGGING }) },
  DeleteObjectTagging: { needs: 'owner', request: (place) => ({ method: 'DELETE', target: key('?tagging')(place) }) },
  GetObjectRetention: { needs: 'owner', otherwise: NO_LOCK, request: (place) => ({ method: 'GET', target: key('?retention')(place) }) },
  PutObjectRetention: { needs: 'owner', otherwise: NO_LOCK, request: (place) => ({ method: 'PUT', target: key('?retention')(place), body: RETENTION }) },
  GetObjectLegalHold: { needs: 'owner', otherwise: NO_LOCK, request: (place) => ({ method: 'GET', target: key('?legal-hold')(place) }) },
  PutObjectLegalHold: { needs: 'owner', otherwise: NO_LOCK, request: (place) => ({ method: 'PUT', target: key('?legal-hold')(place), body: LEGAL_HOLD }) },
  DeleteObject: { needs: 'bucketWrite', request: (place) => ({ method: 'DELETE', target: key()(place) }) },
  DeleteObjects: {
    needs: 'bucketWrite',
    request: ({ bucket }) => ({ method: 'POST', target: `/${bucket}?delete`, headers: { 'content-md5': contentMd5(DELETE) }, body: DELETE }),
  },
  CopyObject: { needs: 'copy', request: ({ bucket }) => ({ method: 'PUT', target: `/${bucket}/copy`, headers: { 'x-amz-copy-source': `/${bucket}/object` } }) },
  CreateMultipartUpload: { needs: 'bucketWrite', request: ({ bucket }) => ({ method: 'POST', target: `/${bucket}/big?uploads` }) },
  UploadPart: { needs: 'owner', request: (place) => ({ method: 'PUT', target: upload(place, 'partNumber=1&'), body: 'part' }) },
  UploadPartCopy: {
    needs: 'owner',
    request: (place) => ({ method: 'PUT', target: upload(place, 'partNumber=1&'), headers: { 'x-amz-copy-source': `/${place.bucket}/object` } }),
  },
  ListParts: { needs: 'owner', request: (place) => ({ method: 'GET', target: upload(place) }) },
  CompleteMultipartUpload: {
    needs: 'owner',
    request: (place) => ({
      method: 'POST',
      target: upload(place),
      body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${place.etag}</ETag></Part></CompleteMultipartUpload>`,
    }),
  },
  AbortMultipartUpload: { needs: 'owner', request: (place) => ({ method: 'DELETE', target: upload(place) }) },
};

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
  const part = await asOwner({ method: 'PUT', target: `/${bucket}/big?partNumber=1&uploadId=${uploadId}`, body: 'part' });
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
    const conditional = { 'if-match': '"0"', 'range': 'bytes=100-' };
    for (const caller of CALLERS) {
      const mayList = caller === 'owner' || mayRead(world[0], caller);
      for (const query of ['', '?acl', '?attributes']) {
        const headers = query === '?attributes' ? { 'x-amz-object-attributes': 'ETag' } : {};
        const missing = await send(gateway.port, caller, { method: 'GET', target: `/${bucket}/none${query}`, headers });
        expect(outcome(missing), `${caller} ${query}`).toBe(mayList ? '404 NoSuchKey' : '403 AccessDenied');
      }
      const head = await send(gateway.port, caller, { method: 'HEAD', target: `/${bucket}/none` });
      expect(head.status, caller).toBe(mayList ? 404 : 403);
      const there = await send(gateway.port, caller, { method: 'GET', target: `/${bucket}/object`, headers: conditional });
      expect(outcome(there), caller).toBe(caller === 'owner' || mayRead(world[1], caller) ? '412 PreconditionFailed' : '403 AccessDenied');
    }
  });
});
