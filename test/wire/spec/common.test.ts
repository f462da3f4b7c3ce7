import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { presignedHead, signedHead } from '../../support/clients/sign-raw.ts';
import { NINE_OPERATIONS, type Place, newPlace, requestOf, stateOf } from './nine-operations.ts';
import { rule } from './rule.ts';
import { type Headers, World, element } from './world.ts';

let world: World;
let place: Place;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  place = await newPlace(world);
});

const EACH = NINE_OPERATIONS.map((operation) => [operation.name, operation] as const);

describe(
  rule(
    [
      'common.payer.requester',
      'common.owner.match',
      'common.x-id',
      'common.ids',
      'common.charged',
      'common.version.unsaid',
    ],
    'each accepts what it must',
  ),
  () => {
    test.each(EACH)('%s', async (name, operation) => {
      const [method, target, asked] = requestOf(operation, place, {
        'x-amz-request-payer': 'requester',
        'x-amz-expected-bucket-owner': '444444444444',
      });
      const answer = await world.ask(method, `${target}${target.includes('?') ? '&' : '?'}x-id=${name}`, asked);
      expect(answer.status, answer.body).toBe(operation.status);
      expect(answer.headers['x-amz-request-id']).toMatch(/^[0-9A-Z]{16}$/);
      expect(answer.headers['x-amz-id-2']).toMatch(/^\S{16,100}$/);
      expect(Object.keys(answer.headers).filter((header) => /charged|version|marker/.test(header))).toEqual([]);
    });
  },
);

test(rule('common.charged', 'no bucket can be made to charge who reads'), async () => {
  const body = '<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>';
  expect(await world.outcome('PUT', `/${place.bucket}?requestPayment`, { body })).toBe('501 NotImplemented');
});

describe('what makes each refuse, and change nothing', () => {
  describe.each(EACH.filter(([name]) => name !== 'DeleteObjectTagging'))(
    `${rule('common.payer.other', 'another payer')}: %s`,
    (_name, operation) => {
      test.each(['Requester', 'bucketowner', ''])('%j', async (payer) => {
        const before = await stateOf(world, place);
        const answer = await world.ask(...requestOf(operation, place, { 'x-amz-request-payer': payer }));
        expect([answer.outcome, element(answer.body, 'ArgumentName')]).toEqual([
          '400 InvalidArgument',
          'x-amz-request-payer',
        ]);
        expect(await stateOf(world, place)).toBe(before);
      });
    },
  );

  describe.each(EACH)(`${rule('common.owner.mismatch', 'another expected owner')}: %s`, (_name, operation) => {
    test.each(['555555555555', '44444444444', 'wire', ''])('%j', async (owner) => {
      const before = await stateOf(world, place);
      expect(await world.outcome(...requestOf(operation, place, { 'x-amz-expected-bucket-owner': owner }))).toBe(
        '403 AccessDenied',
      );
      expect(await stateOf(world, place)).toBe(before);
    });
  });

  test.each(EACH)(`${rule('common.auth.signed', 'a header that is not signed')}: %s`, async (_name, operation) => {
    const before = await stateOf(world, place);
    const [method, target, { headers = {} }] = requestOf(operation, place);
    const connection = await RawConnection.open(world.gateway.port);
    const unsigned = { 'x-amz-meta-odd': '1', ...('x-amz-copy-source' in headers && headers) };
    const signed = Object.fromEntries(Object.entries(headers).filter(([header]) => !(header in unsigned)));
    const head = signedHead({ method, target, headers: { ...signed, 'content-length': '0' } });
    const lines = Object.entries(unsigned)
      .map(([header, value]) => `${header}: ${value}\r\n`)
      .join('');
    connection.send(head.replace(/\r\n$/, `${lines}\r\n`));
    const answer = await connection.answer(method);
    connection.close();
    expect([answer.status, element(answer.body, 'Code')]).toEqual([403, 'AccessDenied']);
    expect(element(answer.body, 'HeadersNotSigned').split(/,\s*/).sort()).toEqual(Object.keys(unsigned).sort());
    expect(await stateOf(world, place)).toBe(before);
  });

  test.each(EACH)(`${rule('common.auth.required', 'no signature')}: %s`, async (_name, operation) => {
    const before = await stateOf(world, place);
    const [method, target, asked] = requestOf(operation, place);
    expect(await world.outcome(method, target, { ...asked, as: 'anonymous' })).toBe('403 AccessDenied');
    expect(await stateOf(world, place)).toBe(before);
  });

  test.each(EACH)(`${rule('common.no-bucket', 'no such bucket')}: %s`, async (_name, operation) => {
    const [method, target, asked] = requestOf(operation, place);
    const answer = await world.ask(method, target.replace(place.bucket, 'no-such-bucket'), asked);
    expect([answer.outcome, element(answer.body, 'BucketName')]).toEqual(['404 NoSuchBucket', 'no-such-bucket']);
  });

  test.each(EACH)(`${rule('common.conflict', 'two sub-resources')}: %s`, async (_name, operation) => {
    const before = await stateOf(world, place);
    const [method, target, asked] = requestOf(operation, place);
    const other = target.includes('?acl') ? 'tagging' : 'acl';
    const conflicting = `${target}${target.includes('?') ? '&' : '?torrent&'}${other}`;
    expect(await world.outcome(method, conflicting, asked)).toBe('400 InvalidArgument');
    expect(await stateOf(world, place)).toBe(before);
  });
});

test(rule('common.payer.ignored', 'DeleteObjectTagging does not look at the payer'), async () => {
  expect(
    await world.outcome('DELETE', `${place.object}?tagging`, { headers: { 'x-amz-request-payer': 'nobody' } }),
  ).toBe('204');
});

describe('objects that do not exist', () => {
  const onObjects = EACH.filter(([name]) =>
    ['PutObjectAcl', 'GetObjectAcl', 'GetObjectTagging', 'DeleteObjectTagging'].includes(name),
  );

  test.each(onObjects)(`${rule('common.no-key', 'no such key')}: %s`, async (_name, operation) => {
    const [method, target, asked] = requestOf(operation, { ...place, object: `/${place.bucket}/none` });
    const answer = await world.ask(method, target, asked);
    expect([answer.outcome, element(answer.body, 'Key')]).toEqual(['404 NoSuchKey', 'none']);
  });

  test.each(onObjects)(`${rule('common.hidden', 'for who may not list')}: %s`, async (_name, operation) => {
    const [method, target, asked] = requestOf(operation, { ...place, object: `/${place.bucket}/none` });
    expect(await world.outcome(method, target, { ...asked, as: 'other' })).toBe('403 AccessDenied');
  });
});

describe('versions of a bucket that never had any', () => {
  const versioned = EACH.filter(([name]) =>
    ['PutObjectAcl', 'GetObjectAcl', 'DeleteObject', 'GetObjectTagging', 'DeleteObjectTagging'].includes(name),
  );
  const withVersion = (target: string, id: string): string =>
    `${target}${target.includes('?') ? '&' : '?'}versionId=${id}`;

  describe.each(versioned)('%s', (_name, operation) => {
    test.each([
      [rule('common.version.empty', 'an empty id'), ''],
      [rule('common.version.odd', 'a word'), 'x'],
      [rule('common.version.odd', 'one that could be'), '0'.repeat(32)],
      [rule('common.version.odd', 'another spelling of null'), 'NULL'],
    ])('%s', async (_title, id) => {
      const before = await stateOf(world, place);
      const [method, target, asked] = requestOf(operation, place);
      const answer = await world.ask(method, withVersion(target, id), asked);
      expect([answer.outcome, element(answer.body, 'ArgumentName')]).toEqual(['400 InvalidArgument', 'versionId']);
      expect(await stateOf(world, place)).toBe(before);
    });

    test(rule(['common.version.null', 'common.version.unsaid'], 'null'), async () => {
      const [method, target, asked] = requestOf(operation, place);
      const answer = await world.ask(method, withVersion(target, 'null'), asked);
      expect([answer.status, answer.headers['x-amz-version-id']]).toEqual([operation.status, undefined]);
    });
  });
});

describe('requests without a key', () => {
  test.each([
    ['PUT', '?partNumber=1&uploadId=x', true, '400 InvalidRequest'],
    ['GET', '?uploadId=x', false, '400 InvalidRequest'],
    ['DELETE', '?uploadId=x', false, '400 InvalidRequest'],
    ['PUT', '', true, '400 InvalidArgument'],
    ['DELETE', '', false, '409 BucketNotEmpty'],
  ])(`${rule('common.key', 'touch no object')}: %s /bucket/%s`, async (method, query, copies, expected) => {
    const before = await stateOf(world, place);
    const headers: Headers = copies ? { 'x-amz-copy-source': place.object } : {};
    expect(await world.outcome(method, `/${place.bucket}/${query}`, { headers })).toBe(expected);
    expect(await stateOf(world, place)).toBe(before);
  });
});

describe('where the bucket is named', () => {
  test.each(EACH)(`${rule('common.virtual-host', 'in the host')}: %s`, async (_name, operation) => {
    for (const host of [
      `${place.bucket}.localhost`,
      `${place.bucket}.s3.us-east-1.localhost`,
      `${place.bucket}.s3-us-east-1.localhost`,
    ]) {
      const [method, target, { headers = {} }] = requestOf(operation, await replenished());
      const answer = await world.ask(method, target.slice(target.indexOf('/', 1)), { headers: { ...headers, host } });
      expect(answer.status, `${host} ${answer.body}`).toBe(operation.status);
    }
  });

  /** Some operations end what they work on: another upload and object each time. */
  async function replenished(): Promise<Place> {
    await world.put(place.object, 'bytes', { 'x-amz-tagging': 'k=v' });
    return { ...place, upload: await world.upload(`/${place.bucket}/big`) };
  }
});

describe('callers', () => {
  test.each(EACH)(`${rule('common.auth.query', 'presigned')}: %s`, async (_name, operation) => {
    const [method, target, { headers = {} }] = requestOf(operation, place);
    const head = presignedHead({ method, target, headers: { ...headers, 'content-length': '0' } });
    expect((await roundTrip(world.gateway.port, head, method)).status).toBe(operation.status);
    const before = await stateOf(world, place);
    expect(
      (await roundTrip(world.gateway.port, head.replace(/X-Amz-Signature=./, 'X-Amz-Signature=x'), method)).status,
    ).toBe(403);
    expect(await stateOf(world, place)).toBe(before);
  });

  test(rule('common.auth.copy', 'nobody copies, or sets ACLs, without a signature'), async () => {
    await world.must('PUT', `/${place.bucket}?acl`, { headers: { 'x-amz-acl': 'public-read-write' } });
    const everything = { 'x-amz-grant-full-control': 'uri=http://acs.amazonaws.com/groups/global/AllUsers' };
    await world.must('PUT', `${place.object}?acl`, { headers: everything });
    const anonymous = { as: 'anonymous' } as const;
    for (const operation of NINE_OPERATIONS.filter(({ name }) =>
      ['CopyObject', 'UploadPartCopy', 'PutObjectAcl'].includes(name),
    )) {
      const [method, target, asked] = requestOf(operation, place);
      expect(await world.outcome(method, target, { ...asked, ...anonymous }), operation.name).toBe('403 AccessDenied');
    }
    expect(await world.outcome('POST', `/${place.bucket}/new?uploads`, anonymous)).toBe('403 AccessDenied');
    expect(await world.outcome('GET', `${place.object}?acl`, anonymous)).toBe('200');
    expect(await world.outcome('DELETE', place.object, anonymous)).toBe('204');
  });

  test(rule('common.permission.tags', 'tags are for the owner of the bucket'), async () => {
    await world.must('PUT', `/${place.bucket}?acl`, { headers: { 'x-amz-acl': 'public-read-write' } });
    await world.must('PUT', `${place.object}?acl`, {
      headers: { 'x-amz-grant-full-control': 'emailAddress=other@example.com' },
    });
    for (const method of ['GET', 'DELETE']) {
      expect(await world.outcome(method, `${place.object}?tagging`, { as: 'other' })).toBe('403 AccessDenied');
    }
    expect(await world.tags(place.object)).toEqual(['k=v']);
  });

  test(rule('common.permission.delete', 'who may write may delete, who may read the object may not'), async () => {
    await world.must('PUT', `${place.object}?acl`, {
      headers: { 'x-amz-grant-full-control': 'emailAddress=other@example.com' },
    });
    expect(await world.outcome('DELETE', place.object, { as: 'other' })).toBe('403 AccessDenied');
    await world.must('PUT', `/${place.bucket}?acl`, {
      headers: { 'x-amz-grant-write': 'emailAddress=other@example.com' },
    });
    expect(await world.outcome('DELETE', place.object, { as: 'other' })).toBe('204');
  });
});
