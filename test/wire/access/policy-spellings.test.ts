import { beforeEach, describe, expect, test } from 'vitest';
import { type Caller, type Sent, outcome } from '../../support/clients/acl-client.ts';
import { exactly, formRequest, signedV4 } from '../../support/clients/post-form.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import { OTHER_ACCESS_KEY, presignedHead } from '../../support/clients/sign-raw.ts';

/*
 * A bucket whose policy lets another account do all, and denies some of it by what requests say: who says the same in
 * other letters, at another place or with escapes is denied as well, or not understood.
 */
const shared = sharedGateway();
const { as } = shared;
let bucket: string;
let made = 0;

beforeEach(async () => {
  bucket = `spelled-${++made}`;
  expect(await as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
  for (const key of ['open', 'closed']) {
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/${key}`, body: key })).toBe('200');
  }
});

const get = (caller: Caller, target: string): Promise<string> =>
  as(caller, { method: 'GET', target: `/${bucket}${target}` });

/** Statements about the bucket and what is in it, for everybody, unless they say otherwise. */
async function set(...statements: readonly object[]): Promise<void> {
  const both = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`];
  const Statement = statements.map((fields) => ({ Effect: 'Allow', Principal: '*', Resource: both, ...fields }));
  const body = JSON.stringify({ Version: '2012-10-17', Statement });
  expect(await as('owner', { method: 'PUT', target: `/${bucket}?policy`, body })).toBe('204');
}

describe('a denial holds however a request is spelled', () => {
  const allowed = { Action: ['s3:GetObject', 's3:GetObjectVersion', 's3:PutObject', 's3:ListBucket'] };

  test.each<[string, (source: string) => string]>([
    ['as it is', (source) => source],
    ['with a slash', (source) => `/${source}`],
    ['with an escaped slash', (source) => `%2F${source}`],
    ['with a letter escaped', (source) => source.replace('p', '%70')],
    ['with the slash between escaped', (source) => source.replace('/', '%2F')],
    ['with the key escaped', (source) => source.replace('closed', 'close%64')],
    ['with a version', (source) => `${source}?versionId=null`],
  ])('of what is copied: %s', async (_, spell) => {
    const denied = { Effect: 'Deny', Action: 's3:PutObject' };
    const copy = (): Promise<string> =>
      as('other', {
        method: 'PUT',
        target: `/${bucket}/copy`,
        headers: { 'x-amz-copy-source': spell(`${bucket}/closed`), 'x-amz-tagging-directive': 'REPLACE' },
      });
    await set(allowed);
    expect(await copy()).toBe('200');
    await set(allowed, { ...denied, Condition: { StringEquals: { 's3:x-amz-copy-source': `${bucket}/closed` } } });
    expect(await copy()).toBe('403 AccessDenied');
    await set(allowed, { ...denied, Condition: { StringLike: { 's3:x-amz-copy-source': `${bucket}/clo*` } } });
    expect(await copy()).toBe('403 AccessDenied');
    await set(allowed, { ...denied, Condition: { StringNotLike: { 's3:x-amz-copy-source': `${bucket}/closed*` } } });
    expect(await copy()).toBe('200');
  });

  test.each(['', '1000', '01000', `${'0'.repeat(80)}1000`, '%2B1000'])(
    'of long listings: max-keys=%s',
    async (keys) => {
      const denied = { Effect: 'Deny', Action: 's3:ListBucket', Resource: `arn:aws:s3:::${bucket}` };
      await set(
        { ...allowed },
        { ...denied, Condition: { NumericGreaterThan: { 's3:max-keys': '10' } } },
        { ...denied, Condition: { Null: { 's3:max-keys': 'true' } } },
      );
      expect(await get('other', '?max-keys=5')).toBe('200');
      expect(await get('other', `?max-keys=${keys}`)).toMatch(/^40[03]/);
    },
  );

  /** Denied value, and others that an operation might take for it. */
  const VALUES: Readonly<Record<string, readonly [denied: string, ...others: string[]]>> = {
    'x-amz-acl': ['public-read', 'PUBLIC-READ', 'Public-Read', 'public%2Dread', 'public-read,private'],
    'x-amz-storage-class': ['STANDARD_IA', 'standard_ia', 'Standard_Ia'],
    'x-amz-server-side-encryption': ['AES256', 'aes256', 'AES-256'],
    'x-amz-grant-read': [
      'uri="http://acs.amazonaws.com/groups/global/AllUsers"',
      'URI="HTTP://ACS.AMAZONAWS.COM/groups/global/AllUsers"',
      'uri="http://acs.amazonaws.com/groups/global/allusers"',
    ],
  };

  test.each(Object.entries(VALUES))('of the header %s', async (name, [denied, ...others]) => {
    const conditions = { StringEquals: { [`s3:${name}`]: denied } };
    await set(
      { Action: ['s3:PutObject', 's3:PutObjectAcl'] },
      { Effect: 'Deny', Action: 's3:PutObject', Condition: conditions },
    );
    const put = (headers: NonNullable<Sent['headers']>, query = ''): Promise<string> =>
      as('other', { method: 'PUT', target: `/${bucket}/put${query}`, body: 'x', headers });
    expect(await put({})).toBe('200');
    expect(await put({ [name]: denied })).toBe('403 AccessDenied');
    for (const value of others) {
      expect([value, await put({ [name]: value })]).toEqual([value, expect.stringMatching(/^4/)]);
    }
    for (const spelled of [name, name.toUpperCase(), name.replace('amz', '%61mz')]) {
      const target = `/${bucket}/put?${spelled}=${encodeURIComponent(denied)}`;
      const head = presignedHead({
        method: 'PUT',
        target,
        accessKey: OTHER_ACCESS_KEY,
        headers: { 'content-length': '0' },
      });
      const answer = outcome(await roundTrip(shared.gateway.port, head));
      // What is not taken for the header says nothing, and gives nothing.
      if (answer === '200') {
        expect(await as('anonymous', { method: 'GET', target: `/${bucket}/put` })).toBe('403 AccessDenied');
      } else {
        expect(answer).toMatch(/^40[03] /);
      }
    }
    const field = [[name === 'x-amz-acl' ? 'acl' : name, denied] as const, [name.toUpperCase(), denied] as const];
    for (const extra of field) {
      const fields = [['key', 'put'], extra] as const;
      const signed = signedV4(fields, exactly(fields, bucket), { accessKey: OTHER_ACCESS_KEY });
      expect(outcome(await roundTrip(shared.gateway.port, formRequest(bucket, { fields: signed, file: 'x' })))).toBe(
        '403 AccessDenied',
      );
    }
  });
});
