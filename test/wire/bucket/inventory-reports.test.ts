import { createHash } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectAclCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketInventoryConfigurationCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  PutObjectLegalHoldCommand,
  PutObjectTaggingCommand,
  type InventoryConfiguration,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPTIONAL_FIELDS } from '../../../src/protocol/inventory/inventory.ts';
import { sdkClient } from '../../support/clients/sdk-client.ts';
import { CANONICAL_ID, OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import { readReport, type ReadReport, type ReadRow, ReportingProcess } from '../../support/inventory/reports.ts';

const shared = sharedGateway({ customerKeysOverHttp: true, kmsKeys: { 'alias/mine': 'service-key' } });
const CUSTOMER_KEY = Buffer.alloc(32, 7);
const SSE_C = {
  SSECustomerAlgorithm: 'AES256',
  SSECustomerKey: CUSTOMER_KEY.toString('base64'),
  SSECustomerKeyMD5: createHash('md5').update(CUSTOMER_KEY).digest('base64'),
};
const UNUSUAL = [
  'a b',
  'a+b',
  'ü/ö',
  '"quoted", and\ncut',
  "it's (100%)*!",
  '%41',
  '😀',
  '\\',
  'dir/',
  'Z',
  'k'.repeat(1000),
];
const LONG_TAGS = Array.from({ length: 9 }, (_, n) => `t${String(n)}=${encodeURIComponent('ü'.repeat(256))}`).join('&');
const SECRET = 'encrypted/by-customer';

let s3: S3Client;
const put = (Bucket: string, Key: string, more: Partial<PutObjectCommandInput> = {}) =>
  s3.send(new PutObjectCommand({ Bucket, Key, Body: `bytes of ${Key}`, ...more }));

beforeAll(async () => {
  s3 = sdkClient(shared.gateway.port);
  await s3.send(new CreateBucketCommand({ Bucket: 'reports' }));
  for (const Bucket of ['plain', 'locked']) {
    await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: Bucket === 'locked' }));
    await fill(Bucket);
  }
  await versionsAndLocks('locked');
  await letIn('reports', 'plain', 'locked');
});
afterAll(() => s3.destroy());

/** As AWS's documentation does it. */
async function letIn(Bucket: string, ...sources: string[]): Promise<void> {
  const Statement = {
    Effect: 'Allow',
    Principal: { Service: 's3.amazonaws.com' },
    Action: 's3:PutObject',
    Resource: `arn:aws:s3:::${Bucket}/*`,
    Condition: {
      ArnLike: { 'aws:SourceArn': sources.map((source) => `arn:aws:s3:::${source}`) },
      StringEquals: { 'aws:SourceAccount': '444444444444', 's3:x-amz-acl': 'bucket-owner-full-control' },
    },
  };
  await s3.send(new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }));
}

/** One object of every kind that a bucket without versions has. */
async function fill(Bucket: string): Promise<void> {
  for (const key of UNUSUAL) await put(Bucket, key);
  await put(Bucket, 'classes/glacier', { StorageClass: 'GLACIER' });
  await put(Bucket, 'classes/tiering', { StorageClass: 'INTELLIGENT_TIERING' });
  await put(Bucket, 'sums/sha256', { ChecksumAlgorithm: 'SHA256' });
  await put(Bucket, 'sums/crc32c', { ChecksumAlgorithm: 'CRC32C' });
  await put(Bucket, 'encrypted/by-kms', { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: 'alias/mine' });
  await put(Bucket, SECRET, SSE_C);
  await put(Bucket, 'acl/public', { ACL: 'public-read' });
  await put(Bucket, 'acl/granted', { GrantRead: `id=${OTHER_CANONICAL_ID}`, GrantFullControl: `id=${CANONICAL_ID}` });
  // Too much for a blob's metadata: a part of the record spills, the ACL with it.
  await put(Bucket, 'acl/spilled', { ACL: 'public-read', Tagging: `keep=no&${LONG_TAGS}` });
  await put(Bucket, 'expires/tagged', { Tagging: 'keep=no' });
  await upload(Bucket, 'uploads/in-parts');
}

async function upload(Bucket: string, Key: string): Promise<void> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: 'CRC32' }));
  const part = await s3.send(
    new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'a part', ChecksumAlgorithm: 'CRC32' }),
  );
  const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }];
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
}

async function versionsAndLocks(Bucket: string): Promise<void> {
  const until = new Date(Date.UTC(2035, 0, 1));
  await put(Bucket, 'locks/retained', { ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: until });
  // What was said after the versions were made: it stands on their own blobs only.
  await put(Bucket, 'locks/held-later');
  await s3.send(new PutObjectLegalHoldCommand({ Bucket, Key: 'locks/held-later', LegalHold: { Status: 'ON' } }));
  await put(Bucket, 'acl/granted-later');
  await s3.send(new PutObjectAclCommand({ Bucket, Key: 'acl/granted-later', ACL: 'authenticated-read' }));
  await put(Bucket, 'expires/tagged-later');
  const TagSet = [{ Key: 'keep', Value: 'no' }];
  await s3.send(new PutObjectTaggingCommand({ Bucket, Key: 'expires/tagged-later', Tagging: { TagSet } }));
  for (const text of ['one', 'two', 'three']) await put(Bucket, 'versions/three', { Body: text });
  await put(Bucket, 'versions/deleted');
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'versions/deleted' }));
  await s3.send(new DeleteObjectCommand({ Bucket, Key: 'versions/marker-only' }));
}

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What clients find out of a bucket, in the words of a report in CSV. */
async function independent(Bucket: string, isVersioned: boolean): Promise<ReadRow[]> {
  const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
  const named = (Key = '', VersionId = '', IsLatest = false): ReadRow => ({
    Bucket,
    Key: encoded(Key),
    ...(isVersioned && { VersionId }),
    IsLatest: String(IsLatest),
  });
  const rows = await Promise.all(
    Versions.map(async ({ Key = '', VersionId = '', IsLatest = false, LastModified, StorageClass }) => {
      const target = { Bucket, Key, ...(isVersioned && { VersionId }) };
      const secret = Key === SECRET ? SSE_C : {};
      const head = await s3.send(new HeadObjectCommand({ ...target, ...secret, ChecksumMode: 'ENABLED' }));
      const shown = await s3.send(new HeadObjectCommand({ Bucket, Key, ...secret })).catch(() => undefined);
      const acl = await s3.send(new GetObjectAclCommand(target));
      const algorithm = (['CRC32', 'CRC32C', 'CRC64NVME', 'SHA256'] as const).find((name) => head[`Checksum${name}`]);
      const expiry = /expiry-date="([^"]*)"/.exec((IsLatest ? shown?.Expiration : undefined) ?? '')?.[1];
      return without({
        ...named(Key, VersionId, IsLatest),
        IsDeleteMarker: 'false',
        Size: String(head.ContentLength),
        LastModifiedDate: LastModified?.toISOString(),
        ETag: head.ETag?.replaceAll('"', ''),
        StorageClass,
        IsMultipartUploaded: String(head.ETag?.includes('-')),
        EncryptionStatus: statusOf(head),
        ObjectLockRetainUntilDate: head.ObjectLockRetainUntilDate?.toISOString(),
        ObjectLockMode: head.ObjectLockMode,
        ObjectLockLegalHoldStatus: head.ObjectLockLegalHoldStatus ?? 'OFF',
        IntelligentTieringAccessTier: head.StorageClass === 'INTELLIGENT_TIERING' ? 'FREQUENT' : undefined,
        BucketKeyStatus: 'DISABLED',
        ChecksumAlgorithm: algorithm,
        ObjectAccessControlList: acl.Grants?.map(
          ({ Grantee, Permission }) => `${Grantee?.ID ?? Grantee?.URI} ${Permission}`,
        )
          .sort()
          .join(),
        ObjectOwner: acl.Owner?.ID,
        LifecycleExpirationDate: expiry && new Date(expiry).toISOString(),
      });
    }),
  );
  const markers = DeleteMarkers.map(({ Key, VersionId, IsLatest, LastModified }) => ({
    ...named(Key, VersionId, IsLatest),
    IsDeleteMarker: 'true',
    LastModifiedDate: LastModified?.toISOString(),
  }));
  return inOrder([...rows, ...markers]);
}

/** Not by the code that is tested: as Python's quote_plus with a slash that is safe. */
function encoded(key: string): string {
  return Array.from(Buffer.from(key), (byte) => {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9_.~/-]/.test(character)) return character;
    return character === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

function statusOf({
  ServerSideEncryption: by,
  SSECustomerAlgorithm: customer,
}: Record<string, unknown> | { ServerSideEncryption?: unknown; SSECustomerAlgorithm?: unknown }): string {
  if (customer !== undefined) return 'SSE-C';
  return by === 'aws:kms' ? 'SSE-KMS' : 'SSE-S3';
}

function without(row: ReadRow): ReadRow {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined && value !== null));
}

function inOrder(rows: readonly ReadRow[]): ReadRow[] {
  const place = ({ Key, VersionId = '' }: ReadRow): string => `${String(Key)} ${String(VersionId)}`;
  return [...rows].sort((one, other) => (place(one) < place(other) ? -1 : 1));
}

/** ACLs as they are compared; dates in a form; no empty cells. */
function readable(row: ReadRow): ReadRow {
  const acl = row['ObjectAccessControlList'];
  const said = typeof acl === 'string' ? { ObjectAccessControlList: grantsIn(acl) } : {};
  return without({ ...row, ...said });
}

function grantsIn(text: string): string {
  const document = JSON.parse(Buffer.from(text, 'base64').toString()) as {
    version: string;
    status: string;
    grants: { canonicalId?: string; uri?: string; permission: string }[];
  };
  expect([document.version, document.status]).toEqual(['2022-11-10', 'AVAILABLE']);
  return document.grants
    .map(({ canonicalId, uri, permission }) => `${String(canonicalId ?? uri)} ${permission}`)
    .sort()
    .join();
}

let made = 0;

/** Has a report written, and reads it. */
async function report(
  Bucket: string,
  more: Partial<InventoryConfiguration>,
  Format: 'CSV' | 'Parquet' = 'CSV',
): Promise<ReadReport> {
  const Id = `${Format}-${String(++made)}`;
  await s3.send(
    new PutBucketInventoryConfigurationCommand({
      Bucket,
      Id,
      InventoryConfiguration: {
        Id,
        IsEnabled: true,
        IncludedObjectVersions: 'All',
        OptionalFields: [...OPTIONAL_FIELDS],
        Schedule: { Frequency: 'Daily' },
        Destination: { S3BucketDestination: { Bucket: 'arn:aws:s3:::reports', Format, Prefix: 'to/here' } },
        ...more,
      },
    }),
  );
  const { inventories } = await new ReportingProcess(shared.gateway.store).run();
  const { written, problem } = inventories.find(({ id }) => id === Id) ?? {};
  expect(problem).toBeUndefined();
  expect(written?.manifest).toMatch(
    new RegExp(`^to/here/${Bucket}/${Id}/\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\dZ/manifest\\.json$`),
  );
  return readReport(written?.manifest ?? '', bytesAt);
}

async function bytesAt(Key: string): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'reports', Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

describe.each([
  ['plain', false],
  ['locked', true],
])('a report of everything in the bucket %s', (bucket, isVersioned) => {
  let expected: ReadRow[];
  beforeAll(async () => {
    const Rules = [
      { ID: 'old', Status: 'Enabled', Filter: { Prefix: 'sums/' }, Expiration: { Days: 10 } },
      { ID: 'tagged', Status: 'Enabled', Filter: { Tag: { Key: 'keep', Value: 'no' } }, Expiration: { Days: 5 } },
    ] as const;
    await s3.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket: bucket, LifecycleConfiguration: { Rules: [...Rules] } }),
    );
    expected = await independent(bucket, isVersioned);
  });

  test('in CSV says what clients see', async () => {
    const { rows, schema } = await report(bucket, {});
    expect(schema).toBe(`Bucket, Key, VersionId, IsLatest, IsDeleteMarker, ${OPTIONAL_FIELDS.join(', ')}`);
    expect(inOrder(rows.map(readable))).toEqual(expected);
  });

  test('in Parquet says the same, with its own types and keys as they are', async () => {
    const { rows, schema } = await report(bucket, {}, 'Parquet');
    expect(schema).toMatch(
      /^message s3\.inventory \{ required binary bucket \(UTF8\); {2}required binary key \(UTF8\); {2}optional binary version_id \(UTF8\); {2}optional boolean is_latest; .* optional int64 size; {2}optional int64 last_modified_date \(TIMESTAMP_MILLIS\); /,
    );
    const columns = Array.from(schema.matchAll(/(\w+)(?: \(\w+\))?;/g), ([, name = '']) => name);
    const names = ['Bucket', 'Key', 'VersionId', 'IsLatest', 'IsDeleteMarker', ...OPTIONAL_FIELDS];
    const asCsv = rows.map((row) => {
      const cells = names.map((name, at) => [name, cellText(row[columns[at] ?? ''])] as const);
      return readable({ ...Object.fromEntries(cells), Key: encoded(String(row['key'])) });
    });
    expect(inOrder(asCsv)).toEqual(expected);
  });

  test('of current versions lists objects alone', async () => {
    const { rows, schema } = await report(bucket, { IncludedObjectVersions: 'Current', OptionalFields: ['Size'] });
    expect(schema).toBe('Bucket, Key, Size');
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
    expect(rows).toEqual(
      Contents.map(({ Key = '', Size }) => ({ Bucket: bucket, Key: encoded(Key), Size: String(Size) })),
    );
  });

  test('of a prefix lists what is under it', async () => {
    const { rows } = await report(bucket, { Filter: { Prefix: 'acl/' }, OptionalFields: ['LastModifiedDate'] });
    const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: 'acl/' }));
    expect(rows.map(({ Key }) => Key)).toEqual(Versions.map(({ Key }) => Key));
    for (const { LastModifiedDate } of rows) expect(LastModifiedDate).toMatch(DATE);
  });
});

function cellText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return value instanceof Date ? value.toISOString() : `${value as string | boolean | bigint}`;
}

test('null versions have the id null once a bucket has versions', async () => {
  await s3.send(new CreateBucketCommand({ Bucket: 'late' }));
  await put('late', 'before');
  await s3.send(new PutBucketVersioningCommand({ Bucket: 'late', VersioningConfiguration: { Status: 'Enabled' } }));
  await put('late', 'before');
  await letIn('reports', 'late');
  const { rows } = await report('late', { OptionalFields: ['Size'] });
  expect(rows.map(({ IsLatest, VersionId }) => `${String(IsLatest)} ${VersionId === 'null' ? 'null' : 'id'}`)).toEqual([
    'true id',
    'false null',
  ]);
  await letIn('reports', 'plain', 'locked');
});
