import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UNSET_CONFIGURATIONS } from '../../../src/operations/bucket/settings/unset-configuration.ts';
import { OPERATIONS } from '../../../src/operations/index.ts';
import { operationRow, type OperationName } from '../../../src/protocol/operation-table.ts';
import { CASES, type Needs, type Place } from '../../support/access/access-cases.ts';
import { type Caller, type Sent, outcome, send } from '../../support/clients/acl-client.ts';
import { CLOUDS, startCloud } from '../../support/backends/clouds.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import {
  CANONICAL_ID,
  OTHER_CANONICAL_ID,
  startGatewayOver,
  startTestGateway,
  THIRD_CANONICAL_ID,
} from '../../support/gateway/gateway.ts';

type Permission = 'READ' | 'WRITE' | 'READ_ACP' | 'WRITE_ACP' | 'FULL_CONTROL';
type Grantee = 'third' | 'authenticated' | 'everybody';
type Grant = readonly [Permission, Grantee];

/** The bucket is the owner's; the object is his or another's, who owns nothing else. */
interface World {
  readonly objectOwner: 'owner' | 'other';
  readonly bucket?: Grant;
  readonly object?: Grant;
}

const WORLDS: readonly World[] = [
  { objectOwner: 'owner' },
  { objectOwner: 'other' },
  { objectOwner: 'owner', bucket: ['READ', 'third'] },
  { objectOwner: 'owner', bucket: ['WRITE', 'third'] },
  { objectOwner: 'other', bucket: ['WRITE', 'authenticated'] },
  { objectOwner: 'owner', bucket: ['READ_ACP', 'third'], object: ['READ_ACP', 'third'] },
  { objectOwner: 'other', bucket: ['WRITE_ACP', 'third'], object: ['WRITE_ACP', 'third'] },
  { objectOwner: 'owner', bucket: ['FULL_CONTROL', 'third'] },
  { objectOwner: 'other', object: ['FULL_CONTROL', 'third'] },
  { objectOwner: 'owner', object: ['READ', 'third'] },
  { objectOwner: 'owner', bucket: ['READ', 'authenticated'], object: ['READ', 'authenticated'] },
  { objectOwner: 'other', bucket: ['WRITE', 'third'], object: ['READ', 'everybody'] },
];
const CALLERS: readonly Caller[] = ['anonymous', 'third', 'other', 'owner'];

/**
 * What a grant is good for, in the words of S3: "Mapping of ACL permissions and access policy permissions"
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#permissions). What no permission of a list
 * gives is the bucket owner's.
 */
const BUCKET: Readonly<Partial<Record<OperationName, Permission>>> = {
  HeadBucket: 'READ',
  ListObjects: 'READ',
  ListObjectsV2: 'READ',
  ListObjectVersions: 'READ',
  ListMultipartUploads: 'READ',
  PutObject: 'WRITE',
  PostObject: 'WRITE',
  DeleteObject: 'WRITE',
  DeleteObjects: 'WRITE',
  CreateMultipartUpload: 'WRITE',
  CopyObject: 'WRITE',
  GetBucketAcl: 'READ_ACP',
  PutBucketAcl: 'WRITE_ACP',
};
const OBJECT: Readonly<Partial<Record<OperationName, Permission>>> = {
  GetObject: 'READ',
  HeadObject: 'READ',
  GetObjectAttributes: 'READ',
  CopyObject: 'READ',
  UploadPartCopy: 'READ',
  GetObjectAcl: 'READ_ACP',
  PutObjectAcl: 'WRITE_ACP',
};
/**
 * Operations on an object that no list decides about: whose they are where bucket and object have two owners is not
 * said here.
 */
const UNSAID = /^(?:Get|Put|Delete)Object(?:Tagging|Retention|LegalHold)$/;

function isGranted(grant: Grant | undefined, wanted: Permission, caller: Caller): boolean {
  if (grant === undefined) return false;
  const [permission, grantee] = grant;
  const includes = { third: caller === 'third', authenticated: caller !== 'anonymous', everybody: true }[grantee];
  return includes && (permission === wanted || permission === 'FULL_CONTROL');
}

/** @returns undefined where this table says nothing */
function isLetIn(name: OperationName, needs: Needs, caller: Caller, world: World): boolean | undefined {
  if (needs === 'nobody') return true;
  if (caller === 'anonymous' && !operationRow(name).anonymousAllowed) return false;
  if (needs === 'account') return true;
  if (UNSAID.test(name) && world.objectOwner === 'other' && (caller === 'owner' || caller === 'other')) {
    return undefined;
  }
  const [ofBucket, ofObject] = [BUCKET[name], OBJECT[name]];
  const bucket = caller === 'owner' || (ofBucket !== undefined && isGranted(world.bucket, ofBucket, caller));
  const object = ofObject !== undefined && (caller === world.objectOwner || isGranted(world.object, ofObject, caller));
  if (ofObject === undefined) return bucket;
  return name === 'CopyObject' || name === 'UploadPartCopy' ? bucket && object : object;
}

const GRANTEES: Readonly<Record<Grantee, string>> = {
  third: `id="${THIRD_CANONICAL_ID}"`,
  authenticated: 'uri="http://acs.amazonaws.com/groups/global/AuthenticatedUsers"',
  everybody: 'uri="http://acs.amazonaws.com/groups/global/AllUsers"',
};

function grantHeaders(owner: string, grant: Grant | undefined): Record<string, string> {
  const full = `id="${owner}"`;
  if (grant === undefined) return { 'x-amz-grant-full-control': full };
  const [permission, grantee] = grant;
  if (permission === 'FULL_CONTROL') return { 'x-amz-grant-full-control': `${full}, ${GRANTEES[grantee]}` };
  return {
    'x-amz-grant-full-control': full,
    [`x-amz-grant-${permission.toLowerCase().replace('_', '-')}`]: GRANTEES[grantee],
  };
}

let made = 0;

/** The bucket, the object with the sentinel in it, and an open upload of the bucket's owner. */
async function place(port: number, { objectOwner, bucket: onBucket, object: onObject }: World): Promise<Place> {
  const bucket = `grants-${++made}`;
  const sure = async (caller: Caller, sent: Sent): ReturnType<typeof send> => {
    const answer = await send(port, caller, sent);
    expect(answer.status, outcome(answer)).toBe(200);
    return answer;
  };
  await sure('owner', { method: 'PUT', target: `/${bucket}`, headers: { 'x-amz-acl': 'public-read-write' } });
  const ownerId = objectOwner === 'owner' ? CANONICAL_ID : OTHER_CANONICAL_ID;
  await sure(objectOwner, {
    method: 'PUT',
    target: `/${bucket}/object`,
    headers: grantHeaders(ownerId, onObject),
    body: 'sentinel',
  });
  await sure('owner', { method: 'PUT', target: `/${bucket}?acl`, headers: grantHeaders(CANONICAL_ID, onBucket) });
  const created = await sure('owner', { method: 'POST', target: `/${bucket}/big?uploads` });
  const uploadId = /<UploadId>([^<]+)</.exec(created.body)?.[1] ?? '';
  const part = await sure('owner', {
    method: 'PUT',
    target: `/${bucket}/big?partNumber=1&uploadId=${uploadId}`,
    body: 'part',
  });
  return { bucket, uploadId, etag: part.headers['etag'] ?? '' };
}

/** What whoever is refused must leave as it is. */
async function sentinel(port: number, { bucket, uploadId }: Place, { objectOwner }: World): Promise<readonly string[]> {
  const ask = async (caller: Caller, target: string): Promise<string> => {
    const { status, headers, body } = await send(port, caller, { method: 'GET', target });
    return [status, headers['etag'], headers['last-modified'], body.replaceAll(/<(RequestId|HostId)>[^<]*/g, '')].join(
      ' ',
    );
  };
  return Promise.all([
    ask(objectOwner, `/${bucket}/object`),
    ask(objectOwner, `/${bucket}/object?acl`),
    ask('owner', `/${bucket}?acl`),
    ask('owner', `/${bucket}?list-type=2`),
    ask('owner', `/${bucket}/big?uploadId=${uploadId}`),
    ask('owner', `/${bucket}?uploads`),
    ask('owner', `/${bucket}?tagging`),
    ask('owner', `/${bucket}?versioning`),
  ]);
}

/**
 * Those who must be refused, all of them on one place, which stays as it is; then the others, each with a place to
 * change.
 */
async function tryAll(
  port: number,
  name: OperationName,
  { world, callers }: { world: World; callers: readonly Caller[] },
): Promise<void> {
  const { needs, request, otherwise } = CASES[name] ?? missingCase(name);
  const changes = !['GET', 'HEAD', 'OPTIONS'].includes(operationRow(name).method);
  const ask = async (caller: Caller, here: Place): Promise<{ answer: RawAnswer; seen: string; said: string }> => {
    const answer = await send(port, caller, request(here));
    const seen = outcome(answer);
    return { answer, seen, said: `${name} by ${caller} in ${JSON.stringify(world)}: ${seen}` };
  };
  const by = (wanted: boolean): Caller[] => callers.filter((caller) => isLetIn(name, needs, caller, world) === wanted);

  let here = await place(port, world);
  const before = changes ? await sentinel(port, here, world) : undefined;
  for (const caller of by(false)) {
    const { answer, seen, said } = await ask(caller, here);
    expect(seen, said).toBe(answer.body === '' ? '403' : '403 AccessDenied');
    expect(answer.body, said).not.toContain('sentinel');
  }
  if (before !== undefined) {
    expect(await sentinel(port, here, world), `${name} by those who were refused`).toEqual(before);
  }
  for (const [index, caller] of by(true).entries()) {
    if (changes && index > 0) here = await place(port, world);
    const { answer, seen, said } = await ask(caller, here);
    expect(otherwise?.test(seen) === true || answer.status < 300, said).toBe(true);
  }
}

function missingCase(name: OperationName): never {
  throw new Error(`no request is known for ${name}`);
}

/** Settings that were never made are the bucket owner's alone, whatever is granted: one of them stands for all. */
const NAMES = (Object.keys(OPERATIONS) as OperationName[]).filter(
  (name) => name === 'GetBucketPolicy' || !(name in UNSET_CONFIGURATIONS),
);

describe('over memory, every operation', () => {
  let port: number;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const gateway = await startTestGateway();
    ({ port } = gateway);
    close = () => gateway.close();
  });
  afterAll(() => close());

  test.each(WORLDS)(
    'object of $objectOwner, granted on the bucket: $bucket, on the object: $object',
    async (world) => {
      for (const name of NAMES) await tryAll(port, name, { world, callers: CALLERS });
    },
    60_000,
  );
});

/**
 * Reads, changes and settings of both kinds: what is decided does not depend on the cloud, but what is stored of it
 * might.
 */
const SAMPLE: readonly OperationName[] = [
  'GetObject',
  'HeadObject',
  'PutObject',
  'DeleteObject',
  'CopyObject',
  'ListObjectsV2',
  'GetObjectAcl',
  'PutObjectAcl',
  'PutBucketAcl',
];
const SAMPLED = WORLDS.filter(
  ({ objectOwner, bucket, object }) => objectOwner === 'other' && (bucket !== undefined || object !== undefined),
);

describe.each(Object.keys(CLOUDS))('over %s, a sample', (name) => {
  test('is decided alike', async () => {
    const cloud = await startCloud(name);
    const gateway = await startGatewayOver(cloud.open());
    try {
      for (const world of SAMPLED) {
        for (const operation of SAMPLE) {
          await tryAll(gateway.port, operation, { world, callers: ['anonymous', 'third', 'owner'] });
        }
      }
    } finally {
      await gateway.close();
      await cloud.stop();
    }
  }, 120_000);
});
