import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Principal } from '../../../src/access/accounts.ts';
import { decide } from '../../../src/access/authorize.ts';
import { type AskedRequest, NO_REQUEST, decisionKeys } from '../../../src/access/request-keys.ts';

const ANONYMOUS = { kind: 'anonymous' } as const;
const open = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::b/*' };
const bucketWith = (fields: object) => ({
  name: 'b',
  ownerId: 'somebody',
  settings: { policy: JSON.stringify({ Version: '2012-10-17', Statement: { ...open, ...fields } }) },
});

describe('names that policies choose', () => {
  it.each([
    '__proto__',
    'constructor',
    'tostring',
    'constructor/a:b',
    '__proto__/a:b',
    'aws:constructor',
    's3:__proto__',
  ])('%s is no key, whatever objects have', (name) => {
    expect(
      decisionKeys('s3:GetObject', { principal: ANONYMOUS, resource: {}, asked: NO_REQUEST }).get(name),
    ).toBeUndefined();
  });

  it('a variable of such a name has no value', () => {
    const bucket = bucketWith({ Resource: ['arn:aws:s3:::b/${__proto__}', "arn:aws:s3:::b/${constructor, 'x'}"] });
    expect(decide(ANONYMOUS, 's3:GetObject', { bucket, key: 'y' }).allowed).toBe(false);
    expect(decide(ANONYMOUS, 's3:GetObject', { bucket, key: 'x' }).allowed).toBe(true);
  });
});

describe('temporary credentials', () => {
  const account = { name: 'a', canonicalId: 'c', displayName: 'a', email: 'a@b', accountNumber: '111122223333' };
  const said = (session?: { readonly sourceIdentity?: string }): unknown[] => {
    const times = { issuedAt: 0, expiresAt: 1 };
    const principal = {
      kind: 'account',
      account,
      accessKeyId: 'k',
      ...(session && { session: { ...times, ...session } }),
    };
    const keys = decisionKeys('s3:GetObject', { principal: principal as Principal, resource: {}, asked: NO_REQUEST });
    return ['aws:sourceidentity', 'aws:multifactorauthpresent'].map((key) => keys.get(key));
  };

  it('say whose they were at first, and that there was no second factor; lasting ones say nothing of it', () => {
    expect(said({ sourceIdentity: 'anna' })).toEqual(['anna', 'false']);
    expect(said({})).toEqual([undefined, 'false']);
    expect(said()).toEqual([undefined, undefined]);
  });
});

describe('the time of day', () => {
  it('is that of each request', () => {
    const bucket = bucketWith({ Condition: { DateLessThan: { 'aws:CurrentTime': '2030-01-01T00:00:00.000Z' } } });
    const last = Date.UTC(2030, 0, 1) - 1;
    const at = (now: number): boolean =>
      decide(ANONYMOUS, 's3:GetObject', { bucket, key: 'k' }, { ...NO_REQUEST, now }).allowed;
    expect([last, last + 1, last, last, last + 1].map(at)).toEqual([true, false, true, true, false]);
  });
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Apart, so that nothing of it stays on the stack. */
function decided() {
  const asked: AskedRequest = { ...NO_REQUEST, operation: 'GetObject', bucket: 'b', key: 'k' };
  const bucket = bucketWith({ Condition: { StringEquals: { 'aws:UserAgent': 'a' } } });
  return { decision: decide(ANONYMOUS, 's3:GetObject', { bucket }, asked), request: new WeakRef(asked) };
}

describe('a decision', () => {
  it('keeps nothing of the request that it was made for', async () => {
    const { decision, request } = decided();
    await new Promise((done) => setTimeout(done, 1));
    collect();
    expect(request.deref()).toBeUndefined();
    expect(decision.reasons?.().looked).toMatchObject([{ mismatch: 'condition' }]);
  });
});

describe('the age of a signature', () => {
  const now = Date.UTC(2026, 0, 2, 3, 4, 5);
  const reader = (headers: Readonly<Record<string, string>>): AskedRequest['headers'] => ({
    ...NO_REQUEST.headers,
    get: (name) => headers[name],
  });
  const ageOf = (asked: Partial<AskedRequest>): unknown =>
    decisionKeys('s3:GetObject', { principal: ANONYMOUS, resource: {}, asked: { ...NO_REQUEST, now, ...asked } }).get(
      's3:signatureage',
    );

  it.each<[string, Record<string, string>]>([
    ['of AWS', { 'x-amz-date': '20260102T030305Z', date: 'Fri, 02 Jan 2026 03:04:05 GMT' }],
    ['of AWS in the plain header', { date: '20260102T030305Z' }],
    ['of HTTP', { date: 'Fri, 02 Jan 2026 03:03:05 GMT' }],
  ])('is known by a date %s', (_, headers) => {
    expect(ageOf({ authMethod: 'header', headers: reader(headers) })).toBe('60000');
  });

  it('is that of the signature: a header that nobody signed by says nothing', () => {
    const headers = reader({ date: '20260102T030305Z' });
    const query = {
      ...NO_REQUEST.query,
      get: (name: string) => (name === 'X-Amz-Date' ? '20260102T030355Z' : undefined),
    };
    expect(ageOf({ authMethod: 'query', headers, query })).toBe('10000');
    expect(ageOf({ authMethod: 'query', headers })).toBeUndefined();
    expect(ageOf({ authMethod: 'anonymous', headers })).toBeUndefined();
    expect(ageOf({ authMethod: 'header', headers: reader({ date: 'soon' }) })).toBeUndefined();
    expect(ageOf({ authMethod: 'header', headers: reader({ date: '20260102T030410Z' }) })).toBe('0');
  });
});
