import { contentMd5, outcome } from '../../support/clients/acl-client.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { framedLength, signedChunks } from '../../support/clients/signed-chunks.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { element, type Answer, type World } from '../spec/world.ts';
import { RECORDED, type RecordedRow } from './row.ts';

/** Status and code, the message, and the elements that are named. */
function told({ outcome, body }: Answer, ...elements: readonly string[]): string[] {
  return [outcome, ...['Message', ...elements].map((name) => element(body, name))];
}

/** The id of a version as S3 makes them. */
const OF_S3 = 'aB3_xY.9kLmN0pQrStUvWxYz1234567_';

const MISSING_UPLOAD =
  'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.';

/** Status and code of PutBucketAcl where the bucket's owner owns all objects. */
async function aclWhereOff(
  world: World,
  bucket: string,
  asked: { readonly headers?: Record<string, string>; readonly body?: string },
): Promise<string> {
  const rule =
    '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule></OwnershipControls>';
  await world.must('PUT', `/${bucket}?ownershipControls`, { body: rule });
  return world.outcome('PUT', `/${bucket}?acl`, asked);
}

/** Sends a body in signed chunks. */
async function putChunks(world: World, target: string, chunks: readonly string[]): Promise<string[]> {
  const head = signedHead({
    method: 'PUT',
    target,
    payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    headers: {
      'content-length': String(framedLength(chunks)),
      'x-amz-decoded-content-length': String(chunks.join('').length),
    },
  });
  const answer = await roundTrip(world.gateway.port, head + signedChunks(head, chunks), 'PUT');
  return told({ ...answer, outcome: outcome(answer) }, 'Chunk', 'BadChunkSize');
}

const LOCK = 'x-amz-object-lock-';
const GOVERNED = { [`${LOCK}mode`]: 'GOVERNANCE', [`${LOCK}retain-until-date`]: '2099-01-01T00:00:00Z' };

/** PutObject of `bytes` with a lock. */
const LOCKED_PUTS: readonly (readonly [what: string, headers: Record<string, string>, told: string])[] = [
  ['no digest', GOVERNED, '400 InvalidRequest'],
  ['a hold, and no digest', { [`${LOCK}legal-hold`]: 'OFF' }, '400 InvalidRequest'],
  ['Content-MD5', { ...GOVERNED, 'content-md5': contentMd5('bytes') }, '200'],
  ['a checksum', { ...GOVERNED, 'x-amz-checksum-crc32': 'sZlDzg==' }, '200'],
  ['no lock and no digest', {}, '200'],
];

export const REFUSALS: readonly RecordedRow[] = [
  ...['inventory', 'metrics', 'analytics'].map((kind) => ({
    what: `a configuration that is not there names no bucket: ${kind}`,
    source: RECORDED,
    ask: async (world: World, bucket: string) => told(await world.ask('GET', `/${bucket}?${kind}&id=x`), 'BucketName'),
    expected: ['404 NoSuchConfiguration', 'The specified configuration does not exist.', ''],
  })),
  {
    what: 'a bypass of governance where there is no lock: its value is not shown',
    source: RECORDED,
    ask: async (world, bucket) =>
      told(
        await world.ask('DELETE', `/${bucket}/k`, { headers: { 'x-amz-bypass-governance-retention': 'true' } }),
        'ArgumentName',
        'ArgumentValue',
      ),
    expected: [
      '400 InvalidArgument',
      'x-amz-bypass-governance-retention is only applicable to Object Lock enabled buckets.',
      'x-amz-bypass-governance-retention',
      '',
    ],
  },
  ...LOCKED_PUTS.map(([what, headers, expected]) => ({
    what: `an object with a lock: ${what}`,
    source: 'told with its message by users of several clients',
    ask: async (world: World) => {
      const locked = await world.bucket({ 'x-amz-bucket-object-lock-enabled': 'true' });
      const { outcome, body } = await world.ask('PUT', `/${locked}/key`, { body: 'bytes', headers });
      return [outcome, element(body, 'Message')];
    },
    expected: [
      expected,
      expected === '200'
        ? ''
        : 'Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters',
    ],
  })),
  {
    what: 'a chunk below 8 KiB before the last',
    source: 'told with its status by several clients whose buffers were small',
    ask: (world, bucket) => putChunks(world, `/${bucket}/key`, ['a'.repeat(8192), 'b'.repeat(10), 'c']),
    expected: [
      '403 InvalidChunkSizeError',
      'Only the last chunk is allowed to have a size less than 8192 bytes',
      '2',
      '10',
    ],
  },
  {
    what: 'Complete without a body of an unknown upload',
    source: RECORDED,
    ask: async (world, bucket) => told(await world.ask('POST', `/${bucket}/key?uploadId=fakeid`), 'UploadId'),
    expected: ['404 NoSuchUpload', MISSING_UPLOAD, 'fakeid'],
  },
  {
    what: 'Complete with a body that is no XML of an unknown upload',
    source: 'as without a body, which is recorded',
    ask: (world, bucket) => world.outcome('POST', `/${bucket}/key?uploadId=fakeid`, { body: 'no XML' }),
    expected: '404 NoSuchUpload',
  },
  {
    what: 'Complete with an empty list',
    source: 'as without a body, which is recorded',
    ask: async (world, bucket) =>
      told(await world.ask('POST', await world.upload(`/${bucket}/key`), { body: '<CompleteMultipartUpload/>' })),
    expected: ['400 InvalidRequest', 'You must specify at least one part'],
  },
  ...(
    [
      ['nothing', {}, '400 MissingSecurityHeader'],
      ['an unknown canned ACL', { headers: { 'x-amz-acl': 'fake-acl' } }, '400 InvalidArgument'],
      [
        'an unknown group',
        { headers: { 'x-amz-grant-write': 'uri="http://acs.amazonaws.com/groups/s3/FakeGroup"' } },
        '400 InvalidArgument',
      ],
      ['an unknown kind of grantee', { headers: { 'x-amz-grant-write': 'fakekey="1234"' } }, '400 InvalidArgument'],
      ['an unknown account', { headers: { 'x-amz-grant-write': 'id="wrong-id"' } }, '400 InvalidArgument'],
      ['an empty document', { body: '<AccessControlPolicy/>' }, '400 MalformedACLError'],
      [
        'a canned ACL and a grant',
        {
          headers: {
            'x-amz-acl': 'private',
            'x-amz-grant-read': 'uri="http://acs.amazonaws.com/groups/s3/LogDelivery"',
          },
        },
        '400 InvalidRequest',
      ],
      [
        'a canned ACL and a document',
        { headers: { 'x-amz-acl': 'private' }, body: '<AccessControlPolicy/>' },
        '400 UnexpectedContent',
      ],
      ['an ACL', { headers: { 'x-amz-acl': 'public-read' } }, '400 AccessControlListNotSupported'],
    ] as const
  ).map(([what, asked, outcome]) => ({
    what: `${what} as the ACL, where ACLs are off`,
    source: RECORDED,
    ask: (world: World, bucket: string) => aclWhereOff(world, bucket, asked),
    expected: outcome,
  })),
  {
    what: 'an object with an unknown canned ACL, where ACLs are off',
    source: RECORDED,
    ask: async (world, bucket) => {
      await aclWhereOff(world, bucket, {});
      return world.outcome('PUT', `/${bucket}/other`, { headers: { 'x-amz-acl': 'fake-acl' } });
    },
    expected: '400 InvalidArgument',
  },
  {
    what: 'a header of the answer that ISO-8859-1 does not have',
    source: RECORDED,
    ask: async (world, bucket) => {
      await world.put(`/${bucket}/key`);
      const value = encodeURIComponent('filename="test_\u2014_\u00e9.pdf"');
      return told(await world.ask('GET', `/${bucket}/key?response-content-disposition=${value}`), 'ArgumentName');
    },
    expected: [
      '400 InvalidArgument',
      'Header value cannot be represented using ISO-8859-1.',
      'response-content-disposition',
    ],
  },
  {
    what: 'a header of the answer that ISO-8859-1 has',
    source: 'follows from the refusal of all others, which is recorded',
    ask: async (world, bucket) => {
      await world.put(`/${bucket}/key`);
      const { headers } = await world.ask('GET', `/${bucket}/key?response-content-disposition=%C3%A9`);
      return headers['content-disposition'];
    },
    expected: '\u00e9',
  },
  ...(
    [
      ['of a form that none has', 'abc', 'Enabled', ['400 InvalidArgument', '400 InvalidArgument', 'NoSuchVersion']],
      ['of its own form', OF_S3, 'Enabled', ['404 NoSuchVersion', '204', '']],
      ['of its own form', OF_S3, 'Suspended', ['404 NoSuchVersion', '204', '']],
      ['of its own form', OF_S3, undefined, ['400 InvalidArgument', '400 InvalidArgument', 'NoSuchVersion']],
    ] as const
  ).map(([form, id, status, expected]) => ({
    what: `the id of a version ${form} that is not there, versioning ${status ?? 'never enabled'}`,
    source: status === undefined ? RECORDED : 'reported for ids that S3 gave out elsewhere, and for others',
    ask: async (world: World, bucket: string) => {
      const key = `/${bucket}/key`;
      await world.put(key);
      const body = `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;
      if (status !== undefined) await world.must('PUT', `/${bucket}?versioning`, { body });
      const list = `<Delete><Object><Key>key</Key><VersionId>${id}</VersionId></Object></Delete>`;
      const { body: deleted } = await world.must('POST', `/${bucket}?delete`, {
        body: list,
        headers: { 'content-md5': contentMd5(list) },
      });
      const target = `${key}?versionId=${id}`;
      const outcomes = [await world.outcome('GET', target), await world.outcome('DELETE', target)];
      return [...outcomes, element(deleted, 'Code'), element(deleted, 'VersionId'), await world.outcome('GET', key)];
    },
    expected: [...expected, id, '200'],
  })),
];
