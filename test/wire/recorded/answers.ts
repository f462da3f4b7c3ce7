import { crc32 } from 'node:zlib';
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { outcome, send } from '../../support/clients/acl-client.ts';
import { children, element, type Answer, type World } from '../spec/world.ts';
import { RECORDED, type RecordedRow } from './row.ts';

const MIB = 1024 * 1024;
const KEY = Buffer.alloc(32, 'k');
const CUSTOMER = 'x-amz-server-side-encryption-customer-';
const CUSTOMER_KEY = {
  [`${CUSTOMER}algorithm`]: 'AES256',
  [`${CUSTOMER}key`]: KEY.toString('base64'),
  [`${CUSTOMER}key-md5`]: createHash('md5').update(KEY).digest('base64'),
};
const LOCK = 'x-amz-object-lock-';

function crcOf(text: string): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(text));
  return sum.toString('base64');
}

/** Uploads parts, each with its CRC32. @returns the upload, and the ETags */
async function partsOf(world: World, target: string, created: Record<string, string>, parts: readonly string[]) {
  const upload = await world.upload(target, created);
  const etags: string[] = [];
  for (const [at, body] of parts.entries()) {
    const headers = { 'x-amz-checksum-crc32': crcOf(body) };
    const { headers: said } = await world.must('PUT', `${upload}&partNumber=${at + 1}`, { body, headers });
    etags.push(said['etag'] ?? '');
  }
  return { upload, etags };
}

function checksumOf({ headers }: Answer): (string | undefined)[] {
  return [headers['x-amz-checksum-crc32'], headers['x-amz-checksum-type']];
}

/** The checksum that a read of one part shows. */
async function checksumOfPart(world: World, key: string, type: string, parts: readonly string[]) {
  const created = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': type };
  const { upload, etags } = await partsOf(world, key, created, parts);
  const completed = await world.must('POST', upload, {
    body: `<CompleteMultipartUpload>${etags
      .map((etag, at) => {
        const sum = `<ChecksumCRC32>${crcOf(parts[at] ?? '')}</ChecksumCRC32>`;
        return `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag>${sum}</Part>`;
      })
      .join('')}</CompleteMultipartUpload>`,
  });
  expectNoError(completed);
  const headers = { 'x-amz-checksum-mode': 'ENABLED' };
  const read = await Promise.all(
    ['GET', 'HEAD'].map((method) => world.ask(method, `${key}?partNumber=${parts.length}`, { headers })),
  );
  return read.map(checksumOf);
}

function expectNoError({ body }: Answer): void {
  if (body.includes('<Error>')) throw new Error(body);
}

const LARGE = 'a'.repeat(5 * MIB);

export const ANSWERS: readonly RecordedRow[] = [
  ...['', '&list-type=2&fetch-owner=true', '&versions='].map((query) => ({
    what: `a stranger lists a bucket that everybody may list: ${query}`,
    source: query === '' ? RECORDED : `${RECORDED}, of the first form of the listing; the same rule`,
    ask: async (world: World, bucket: string) => {
      await world.must('PUT', `/${bucket}?acl=`, { headers: { 'x-amz-acl': 'public-read' } });
      await world.must('PUT', `/${bucket}/key`);
      const [own, strange] = await Promise.all(
        (['owner', 'anonymous'] as const).map((as) => world.must('GET', `/${bucket}?max-keys=9${query}`, { as })),
      );
      return [own, strange].map((answer) => [/<Key>key</, /<Owner>/].map((text) => text.test(answer?.body ?? '')));
    },
    expected: [
      [true, true],
      [true, false],
    ],
  })),
  {
    what: 'a stranger lists uploads and parts that everybody may list',
    source: 'the rule of listings: a stranger is told of no account',
    ask: async (world: World, bucket: string) => {
      const Action = ['s3:ListBucketMultipartUploads', 's3:ListMultipartUploadParts'];
      const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`];
      const body = JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: '*', Action, Resource }],
      });
      await world.must('PUT', `/${bucket}?policy=`, { body });
      const upload = await world.upload(`/${bucket}/key`, {});
      const shown = async (as: 'owner' | 'anonymous', target: string): Promise<boolean[]> => {
        const answer = await world.must('GET', target, { as });
        return [/<StorageClass>/, /<Owner>/, /<Initiator>/].map((text) => text.test(answer.body));
      };
      const targets = [`/${bucket}?uploads=`, upload];
      return Promise.all((['owner', 'anonymous'] as const).flatMap((as) => targets.map((target) => shown(as, target))));
    },
    expected: [
      [true, true, true],
      [true, true, true],
      [true, false, false],
      [true, false, false],
    ],
  },
  ...(
    [
      ['FULL_OBJECT', ['only'], [crcOf('only'), 'FULL_OBJECT']],
      ['COMPOSITE', [LARGE, 'last'], [crcOf('last'), 'COMPOSITE']],
      ['COMPOSITE', ['only'], [crcOf('only'), 'COMPOSITE']],
    ] as const
  ).map(([type, parts, shown]) => ({
    what: `the checksum of the last of ${parts.length} parts, ${type}`,
    source: RECORDED,
    ask: (world: World, bucket: string) => checksumOfPart(world, `/${bucket}/key`, type, parts),
    expected: [shown, shown],
  })),
  ...(
    [
      ['bytes=what', {}, 'all of it'],
      ['items=0-3', {}, 'all of it'],
      ['bytes=0-3', { 'if-range': '"other"' }, 'all of it'],
      ['bytes=0-', {}, 'all of it'],
      ['bytes=0-4', {}, 'all of it'],
      ['bytes=-99', {}, 'all of it'],
      ['bytes=0-3', {}, 'less'],
      ['bytes=1-', {}, 'less'],
    ] as const
  ).map(([range, more, asked]) => ({
    what: `the checksum, with the range ${range}, ${JSON.stringify(more)}, which is ${asked}`,
    source: 'reported: S3 sends the checksum of the object with all of its bytes, and with those alone',
    ask: async (world: World, bucket: string) => {
      await world.put(`/${bucket}/key`, 'bytes', { 'x-amz-checksum-crc32': crcOf('bytes') });
      const headers = { 'x-amz-checksum-mode': 'ENABLED', range, ...more };
      const read = await Promise.all(
        ['GET', 'HEAD'].map((method) => world.must(method, `/${bucket}/key`, { headers })),
      );
      return read.map(checksumOf);
    },
    expected: Array(2).fill(asked === 'less' ? [undefined, undefined] : [crcOf('bytes'), 'FULL_OBJECT']),
  })),
  {
    what: 'the checksum of an object of parts whose range is all of it',
    source: 'as without a range: what S3 sends has no number of parts, and clients take it for a checksum of the bytes',
    ask: async (world, bucket) => {
      const { upload, etags } = await partsOf(world, `/${bucket}/key`, { 'x-amz-checksum-algorithm': 'CRC32' }, [
        'part',
      ]);
      expectNoError(await world.complete(upload, etags));
      const headers = { 'x-amz-checksum-mode': 'ENABLED' };
      const plain = await world.must('GET', `/${bucket}/key`, { headers });
      const ranged = await world.must('GET', `/${bucket}/key`, { headers: { ...headers, range: 'bytes=0-' } });
      expect(checksumOf(plain)).toEqual([expect.stringMatching(/-1$/), 'COMPOSITE']);
      return [ranged.status, JSON.stringify(checksumOf(ranged)) === JSON.stringify(checksumOf(plain))];
    },
    expected: [206, true],
  },
  {
    what: 'ListParts of an upload without an algorithm',
    source: RECORDED,
    ask: async (world, bucket) => {
      const { upload } = await partsOf(world, `/${bucket}/key`, {}, ['part']);
      const { body } = await world.must('GET', upload);
      return [element(body, 'Size'), body.includes('Checksum')];
    },
    expected: ['4', false],
  },
  {
    what: 'ListMultipartUploads without a prefix',
    source: RECORDED,
    ask: async (world, bucket) => {
      const named = async (query: string): Promise<boolean> =>
        children((await world.must('GET', `/${bucket}?uploads${query}`)).body).includes('Prefix');
      return [await named(''), await named('&prefix=a')];
    },
    expected: [false, true],
  },
  {
    what: 'ListBuckets names the ARN of each',
    source: RECORDED,
    ask: async (world, bucket) => {
      const { body } = await world.must('GET', `/?prefix=${bucket}&bucket-region=us-east-1`);
      return [element(body, 'BucketArn'), element(body, 'BucketRegion')];
    },
    expected: [expect.stringMatching(/^arn:aws:s3:::spec-\d+$/), 'us-east-1'],
  },
  {
    what: 'ListBuckets of a region that there is not',
    source: RECORDED,
    ask: async (world) => {
      const { outcome, body } = await world.ask('GET', '/?bucket-region=eu-east-1');
      return [outcome, element(body, 'Message'), element(body, 'ArgumentName')];
    },
    expected: ['400 InvalidArgument', 'Argument value eu-east-1 is not a valid AWS Region', 'bucket-region'],
  },
  {
    what: 'ListBuckets of another region',
    source: RECORDED,
    ask: async (world) => element((await world.must('GET', '/?bucket-region=eu-central-1')).body, 'Name'),
    expected: '',
  },
  ...(
    [
      ['mode', { [`${LOCK}retain-until-date`]: '2099-01-01T00:00:00Z' }],
      ['retain-until-date', { [`${LOCK}mode`]: 'GOVERNANCE' }],
    ] as const
  ).map(([missing, headers]) => ({
    what: `a lock without ${missing}`,
    source: RECORDED,
    ask: async (world: World) => {
      const locked = await world.bucket({ 'x-amz-bucket-object-lock-enabled': 'true' });
      const { outcome, body } = await world.ask('PUT', `/${locked}/key`, {
        headers: headers,
      });
      return [outcome, element(body, 'Message'), element(body, 'ArgumentName'), body.includes('<ArgumentValue')];
    },
    expected: [
      '400 InvalidArgument',
      `${LOCK}retain-until-date and ${LOCK}mode must both be supplied`,
      `${LOCK}${missing}`,
      false,
    ],
  })),
  {
    what: "a customer's key and another encryption",
    source: RECORDED,
    ask: async (world, bucket) => {
      const { outcome, body } = await world.ask('PUT', `/${bucket}/key`, {
        headers: { ...CUSTOMER_KEY, 'x-amz-server-side-encryption': 'AES256' },
      });
      return [outcome, ...['Message', 'ArgumentName', 'ArgumentValue'].map((name) => element(body, name))];
    },
    expected: [
      '400 InvalidArgument',
      'Server Side Encryption with Customer provided key is incompatible with the encryption method specified',
      'x-amz-server-side-encryption',
      'AES256',
    ],
  },
  {
    what: "an algorithm for a customer's key that there is not",
    source: RECORDED,
    ask: async (world, bucket) => {
      const { outcome, body } = await world.ask('PUT', `/${bucket}/key`, {
        headers: { ...CUSTOMER_KEY, [`${CUSTOMER}algorithm`]: 'KMS' },
      });
      return [outcome, ...['Message', 'ArgumentName', 'ArgumentValue'].map((name) => element(body, name))];
    },
    expected: [
      '400 InvalidEncryptionAlgorithmError',
      'The Encryption request you specified is not valid. Supported value: AES256.',
      'x-amz-server-side-encryption',
      'KMS',
    ],
  },
  ...(
    [
      [
        'x-amz-checksum-foo',
        'The algorithm type you specified in x-amz-checksum- header is invalid.',
        { payloadHash: 'UNSIGNED-PAYLOAD' },
      ],
      [
        'x-amz-trailer',
        'The value specified in the x-amz-trailer header is not supported',
        { payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'x-amz-decoded-content-length': '0' },
      ],
    ] as const
  ).map(([name, message, more]) => ({
    what: `${name}: x-amz-checksum-foo`,
    source: "held against S3 by another gateway's tests",
    ask: async (world: World, bucket: string) => {
      const { payloadHash, ...headers } = more;
      const answer = await send(world.gateway.port, 'owner', {
        method: 'PUT',
        target: `/${bucket}/key`,
        headers: { ...headers, [name]: 'x-amz-checksum-foo' },
        payloadHash,
      });
      return [outcome(answer), element(answer.body, 'Message')];
    },
    expected: ['400 InvalidRequest', message],
  })),
];
