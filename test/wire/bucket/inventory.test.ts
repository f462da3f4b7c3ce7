import { beforeEach, describe, expect, test } from 'vitest';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { outcome } from '../../support/clients/acl-client.ts';
import { requestedInventory } from '../../../src/protocol/inventory/inventory-document.ts';
import { ReportingProcess } from '../../support/inventory/reports.ts';
import { testCall } from '../../support/test-call.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

const shared = sharedGateway();
const { ask, as } = shared;
let bucket: string;
let made = 0;

beforeEach(async () => {
  bucket = `listed-${String(++made)}`;
  expect(await as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
});

interface Parts {
  readonly id?: string;
  readonly destination?: string;
  readonly fields?: string;
  readonly versions?: string;
  readonly frequency?: string;
  readonly filter?: string;
}

const ARN = '<Bucket>arn:aws:s3:::reports</Bucket>';
const CSV = `${ARN}<Format>CSV</Format>`;

/** In the order in which an answer has it. */
function document(parts: Parts = {}): string {
  const { id = 'all', destination = CSV, fields = '', versions = 'All', frequency = 'Daily', filter = '' } = parts;
  return `<InventoryConfiguration><Destination><S3BucketDestination>${destination}</S3BucketDestination></Destination><IsEnabled>true</IsEnabled>${filter}<Id>${id}</Id><IncludedObjectVersions>${versions}</IncludedObjectVersions>${fields}<Schedule><Frequency>${frequency}</Frequency></Schedule></InventoryConfiguration>`;
}

const put = (body: string, id = 'all'): Promise<RawAnswer> =>
  ask('owner', { method: 'PUT', target: `/${bucket}?inventory&id=${id}`, body });
const get = (id = 'all'): Promise<RawAnswer> =>
  ask('owner', { method: 'GET', target: `/${bucket}?inventory&id=${id}` });
const list = async (token = ''): Promise<string> =>
  (await ask('owner', { method: 'GET', target: `/${bucket}?inventory&continuation-token=${token}` })).body;

const inside = ({ body }: RawAnswer): string =>
  body.replace(/^.*?<InventoryConfiguration[^>]*>/s, '<InventoryConfiguration>');
const messageOf = ({ body }: RawAnswer): string | undefined => /<Message>([^<]*)</.exec(body)?.[1];

describe('an inventory configuration', () => {
  test.each<[string, Parts]>([
    ['the least', {}],
    [
      'weekly, current versions, a prefix',
      { versions: 'Current', frequency: 'Weekly', filter: '<Filter><Prefix>a/&amp;b</Prefix></Filter>' },
    ],
    [
      'all that there is, fields in their own order',
      {
        destination: `<AccountId>444444444444</AccountId>${ARN}<Format>Parquet</Format><Prefix>to/here</Prefix><Encryption><SSE-S3/></Encryption>`,
        fields:
          '<OptionalFields><Field>StorageClass</Field><Field>Size</Field><Field>ObjectLockMode</Field></OptionalFields>',
      },
    ],
    ['a KMS key', { destination: `${CSV}<Encryption><SSE-KMS><KeyId>arn:aws:kms:k</KeyId></SSE-KMS></Encryption>` }],
  ])('%s: is given back as it was put', async (_name, parts) => {
    const body = document(parts);
    expect((await put(body)).status).toBe(204);
    expect(inside(await get())).toBe(body);
    const changed = document({ ...parts, frequency: 'Weekly' });
    expect((await put(changed)).status).toBe(204);
    expect(inside(await get())).toBe(changed);
    expect(await list()).toContain(changed.slice('<InventoryConfiguration>'.length));
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?inventory&id=all` })).toBe('204');
    const gone = await get();
    expect([outcome(gone), messageOf(gone)]).toEqual([
      '404 NoSuchConfiguration',
      'The specified configuration does not exist.',
    ]);
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?inventory&id=all` })).toBe(
      '404 NoSuchConfiguration',
    );
  });

  const field = (...names: string[]): Parts => ({
    fields: `<OptionalFields>${names.map((name) => `<Field>${name}</Field>`).join('')}</OptionalFields>`,
  });
  test.each<[string, string, Parts, string?]>([
    ['another id', '400 IdMismatch', { id: 'other' }, 'Document ID does not match the specified configuration ID.'],
    [
      'no ARN',
      '400 InvalidS3DestinationBucket',
      { destination: '<Bucket>reports</Bucket><Format>CSV</Format>' },
      'Invalid bucket ARN.',
    ],
    [
      'no name of a bucket',
      '400 InvalidS3DestinationBucket',
      { destination: '<Bucket>arn:aws:s3:::A_b</Bucket><Format>CSV</Format>' },
    ],
    ['an unknown format', '400 MalformedXML', { destination: `${ARN}<Format>JSON</Format>` }],
    ['no format', '400 MalformedXML', { destination: ARN }],
    ['an unknown field', '400 MalformedXML', field('Colour')],
    ['a field twice', '400 MalformedXML', field('Size', 'Size')],
    ['unknown versions', '400 MalformedXML', { versions: 'Some' }],
    ['an unknown frequency', '400 MalformedXML', { frequency: 'Hourly' }],
    ['an account that is none', '400 InvalidArgument', { destination: `<AccountId>me</AccountId>${CSV}` }],
    [
      'two ways of encryption',
      '400 MalformedXML',
      { destination: `${CSV}<Encryption><SSE-S3/><SSE-KMS><KeyId>k</KeyId></SSE-KMS></Encryption>` },
    ],
    [
      'a long partition',
      '400 InvalidS3DestinationBucket',
      { destination: `<Bucket>arn:aws-${'x'.repeat(21)}:s3:::reports</Bucket><Format>CSV</Format>` },
    ],
    [
      'a long KMS key',
      '400 MalformedXML',
      { destination: `${CSV}<Encryption><SSE-KMS><KeyId>${'k'.repeat(2049)}</KeyId></SSE-KMS></Encryption>` },
    ],
    ['a long filter', '400 InvalidRequest', { filter: `<Filter><Prefix>${'x'.repeat(1025)}</Prefix></Filter>` }],
    [
      'no room for keys of reports',
      '400 KeyTooLongError',
      { destination: `${CSV}<Prefix>${'x'.repeat(980)}</Prefix>` },
    ],
    [
      'ORC',
      '501 NotImplemented',
      { destination: `${ARN}<Format>ORC</Format>` },
      'Inventory in the format ORC is not offered by this service.',
    ],
    ['a field that is not offered', '501 NotImplemented', field('ObjectLockEventHoldStatus')],
  ])('%s: %s', async (_name, expected, parts, message) => {
    const answer = await put(document(parts));
    expect(outcome(answer)).toBe(expected);
    if (message !== undefined) expect(messageOf(answer)).toBe(message);
    expect(outcome(await get())).toBe('404 NoSuchConfiguration');
  });

  test.each(['a b', 'x'.repeat(65), 'a/b', 'ä'])('an id that cannot be in a key: %s', async (id) => {
    expect(outcome(await put(document({ id }), encodeURIComponent(id)))).toBe('400 InvalidArgument');
  });

  test.each(['PUT', 'DELETE'])('%s without an id', async (method) => {
    const body = method === 'PUT' ? document() : undefined;
    const sent = { method, target: `/${bucket}?inventory`, ...(body !== undefined && { body }) };
    expect(await as('owner', sent)).toBe('400 InvalidArgument');
  });

  test('is for who may', async () => {
    await put(document());
    for (const caller of ['other', 'anonymous'] as const) {
      const target = `/${bucket}?inventory&id=all`;
      expect(await as(caller, { method: 'GET', target })).toBe('403 AccessDenied');
      expect(await as(caller, { method: 'PUT', target, body: document({ frequency: 'Weekly' }) })).toBe(
        '403 AccessDenied',
      );
      expect(await as(caller, { method: 'DELETE', target })).toBe('403 AccessDenied');
    }
    expect(inside(await get())).toBe(document());
  });

  test('a policy can forbid fields', async () => {
    const Statement = {
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:PutInventoryConfiguration',
      Resource: `arn:aws:s3:::${bucket}`,
      Condition: { 'ForAnyValue:StringEquals': { 's3:InventoryAccessibleOptionalFields': ['ObjectOwner'] } },
    };
    const body = JSON.stringify({ Version: '2012-10-17', Statement });
    expect(await as('owner', { method: 'PUT', target: `/${bucket}?policy`, body })).toBe('204');
    expect(outcome(await put(document(field('Size', 'ObjectOwner'))))).toBe('403 AccessDenied');
    expect((await put(document(field('Size')))).status).toBe(204);
  });
});

test('all of a bucket together have 512 KiB at most', async () => {
  const { manifest } = new ReportingProcess(shared.gateway.store);
  const long = { destination: `${CSV}<Encryption><SSE-KMS><KeyId>${'k'.repeat(2048)}</KeyId></SSE-KMS></Encryption>` };
  const ids = Array.from({ length: 235 }, (_, n) => `id-${String(n)}`);
  const inventories = ids.map((id) => requestedInventory(Buffer.from(document({ ...long, id })), id, bucket));
  const found = await manifest.buckets.get(bucket, testCall());
  await manifest.buckets.amend(found, (settings) => ({ ...settings, inventories }), testCall());
  expect((await put(document())).status).toBe(204);
  expect(outcome(await put(document(long)))).toBe('400 TooManyConfigurations');
  expect(inside(await get())).toBe(document());
});

test('there are a thousand at most, listed by id a hundred at a time', async () => {
  const ids = Array.from({ length: 1000 }, (_, n) => `id-${String(n).padStart(3, '0')}`);
  const { manifest } = new ReportingProcess(shared.gateway.store);
  const [found, call] = [await manifest.buckets.get(bucket, testCall()), testCall()];
  const inventories = ids.slice(1).map((id) => requestedInventory(Buffer.from(document({ id })), id, bucket));
  await manifest.buckets.amend(found, (settings) => ({ ...settings, inventories }), call);
  expect((await put(document({ id: 'id-000' }), 'id-000')).status).toBe(204);
  expect(outcome(await put(document()))).toBe('400 TooManyConfigurations');
  expect((await put(document({ id: 'id-000', frequency: 'Weekly' }), 'id-000')).status).toBe(204);
  const pages: string[][] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page = await list(token);
    pages.push(Array.from(page.matchAll(/<Id>([^<]*)</g), ([, id = '']) => id));
    const next = /<NextContinuationToken>([^<]*)</.exec(page)?.[1];
    expect(page).toContain(`<IsTruncated>${String(next !== undefined)}</IsTruncated>`);
    token = next;
  }
  expect(pages.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 100));
  expect(pages.flat()).toEqual(ids);
  expect(await list('%21')).toContain('<Code>InvalidArgument</Code>');
});
