import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway/gateway.ts';
import { propertySeed } from '../support/property-seed.ts';
import type { RawAnswer } from '../support/clients/raw-http.ts';
import { type Keys, keysOf, NUMBER, roleArn, sessionsOf, directoryOf } from '../support/clients/sts-client.ts';
import {
  AUDIENCE,
  type Issuer,
  Senders,
  type Signing,
  SUBJECTS,
  credentialsIn,
  element,
  s3Head,
  startIssuer,
  startRealm,
  stsRequest,
  together,
  webToken,
} from './session-realm.ts';
import { respelled, slackOf } from './respelled.ts';

/** More with `FUZZ_RUNS=200000`; `PROPERTY_SEED` looks elsewhere. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 400);
const BATCH = 1000;
/** About a millisecond each, on a busy machine. */
const PATIENCE = 60_000 + 20 * RUNS;

let issuer: Issuer;
let gateway: TestGateway;
let senders: Senders;

beforeAll(async () => {
  issuer = await startIssuer();
  gateway = await startRealm(issuer);
  senders = new Senders(gateway.port);
});

afterAll(async () => {
  senders.close();
  await gateway.close();
  await issuer.close();
});

/** @returns how many of them `work` said yes to */
async function all<T>(cases: fc.Arbitrary<T>, work: (one: T) => Promise<boolean>): Promise<number> {
  let yes = 0;
  for (let done = 0; done < RUNS; done += BATCH) {
    const numRuns = Math.min(BATCH, RUNS - done);
    const some = fc.sample(cases, { seed: propertySeed + done, numRuns });
    await together(some, async (one) => {
      if (await work(one)) yes += 1;
    });
    expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([]);
  }
  return yes;
}

function expectAnswer({ status, body }: RawAnswer, told: unknown): void {
  if (![200, 400, 403].includes(status)) expect.fail(`${status} ${body} to ${JSON.stringify(told)}`);
}

const sts = (form: string, keys?: Keys): Promise<RawAnswer> => senders.send(stsRequest(form, keys), 'POST');
const mayRead = async (keys: Keys, target: string): Promise<boolean> => {
  const answer = await senders.send(s3Head(keys, 'GET', target), 'GET');
  expectAnswer(answer, target);
  return answer.status === 200;
};

const formOf = (parameters: Readonly<Record<string, string>>): string =>
  new URLSearchParams({ Version: '2011-06-15', ...parameters }).toString();

async function assumed(more: Readonly<Record<string, string>> = {}): Promise<Required<Keys>> {
  const form = formOf({ Action: 'AssumeRole', RoleArn: roleArn('open'), RoleSessionName: 'fuzz', ...more });
  const { body } = await sts(form, keysOf('alice'));
  return credentialsIn(body) ?? expect.fail(body);
}

type Change =
  | { readonly kind: 'bits'; readonly at: readonly number[] }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'put'; readonly at: number; readonly text: string }
  | { readonly kind: 'spliced'; readonly at: number }
  | { readonly kind: 'slack'; readonly by: number }
  | { readonly kind: 'other' | 'foreign' | 'upper' | 'twice' | 'none' | 'itself' };

const place = fc.nat(600);
const header = fc.string({ unit: fc.constantFrom('A', '_', '-', '=', '+', '/', ' ', '.', '0', '\t'), maxLength: 6 });
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('bits'), at: fc.array(place, { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cut'), at: place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('put'), at: place, text: header }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('spliced'), at: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('slack'), by: fc.integer({ min: 1, max: 15 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('other', 'foreign', 'upper', 'twice', 'none', 'itself') }),
  },
);

/** A session whose token has slack: three of four lengths do. */
async function assumedWithSlack(): Promise<Required<Keys>> {
  for (let length = 1; ; length += 1) {
    const keys = await assumed({ RoleSessionName: 'fuzz'.padEnd(4 + length, '7') });
    if (slackOf(keys.sessionToken) > 0) return keys;
  }
}

function changed(token: string, other: string, foreign: string, change: Change): string | undefined {
  switch (change.kind) {
    case 'bits': {
      const bytes = Buffer.from(token, 'base64url');
      for (const at of change.at) bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << (at % 8));
      return bytes.toString('base64url');
    }
    case 'cut':
      return token.slice(0, change.at % token.length);
    case 'put': {
      const at = change.at % token.length;
      return token.slice(0, at) + change.text + token.slice(at);
    }
    case 'spliced': {
      const at = change.at % token.length;
      return token.slice(0, at) + other.slice(at);
    }
    case 'slack':
      return respelled(token, change.by);
    case 'none':
      return undefined;
    case 'twice':
      return `${token},${token}`;
    case 'upper':
      return token.toUpperCase();
    case 'other':
      return other;
    case 'foreign':
      return foreign;
    default:
      return token;
  }
}

describe('session tokens', () => {
  it('let nobody in who changed them, swapped them or made them himself', { timeout: PATIENCE }, async () => {
    const [mine, other] = [await assumedWithSlack(), await assumed({ RoleSessionName: 'other' })];
    const accounts = directoryOf({ roles: [{ name: 'open', trust: { accounts: ['main'] }, buckets: ['data'] }] });
    const now = Math.floor(Date.now() / 1000);
    const foreign = sessionsOf(accounts, ['a-secret-that-the-gateway-does-not-know-00']).issue({
      issuedAt: now,
      expiresAt: now + 900,
      identity: { kind: 'role', role: roleArn('open'), name: 'fuzz' },
    });
    const yes = await all(fc.tuple(change, fc.boolean()), async ([how, withForeign]) => {
      const token = changed(mine.sessionToken, other.sessionToken, foreign.sessionToken, how);
      const keys = withForeign && how.kind === 'foreign' ? foreign : mine;
      const shown = { ...keys, ...(token === undefined ? { sessionToken: undefined } : { sessionToken: token }) };
      const isIn = await mayRead(shown as Keys, '/data/key');
      // Blanks around the value of a header are none of it.
      const isMine = token?.replaceAll(/^[ \t]+|[ \t]+$/g, '') === mine.sessionToken;
      if (isIn && !isMine) expect.fail(`let in: ${JSON.stringify(how)}`);
      return isIn;
    });
    expect(yes).toBeGreaterThan(0);
  });
});

const odd = fc.constantFrom<unknown>(null, 0, -1, '', 'x', [], {}, true, 1e300, [null], { toString: 1 }, '\u0000');
const claim = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: good },
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

describe('tokens of identity providers', () => {
  const signing = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Signing>('ec') },
    { weight: 4, arbitrary: fc.constantFrom<Signing>('stranger', 'hmac', 'none', 'copied') },
  );
  const said = fc.record({
    by: signing,
    alg: fc.oneof(
      { weight: 8, arbitrary: fc.constant<unknown>('ES256') },
      fc.constantFrom<unknown>('none', 'HS256', 'es256', 'RS256', 'ES384', null, 5),
    ),
    kid: claim(fc.constant('one')),
    more: fc.constantFrom<object>(
      {},
      {},
      {},
      { crit: ['exp'] },
      { jku: 'http://127.0.0.1:1/' },
      { b64: false, crit: ['b64'] },
      { typ: 'x' },
    ),
    iss: claim(fc.constantFrom('same', 'same', 'same', 'http://127.0.0.1:1')),
    aud: claim(fc.constantFrom<unknown>(AUDIENCE, AUDIENCE, [AUDIENCE], ['x', AUDIENCE], 'x', ['x'])),
    sub: claim(
      fc.constantFrom(`${SUBJECTS}a`, `${SUBJECTS}a`, 'system:serviceaccount:other:a', SUBJECTS.toUpperCase()),
    ),
    exp: claim(fc.constantFrom(600, 600, 5, -3600)),
    nbf: claim(fc.constantFrom<unknown>(undefined, undefined, -10, 3600)),
    iat: claim(fc.constantFrom(-5, -5, 0)),
    tags: fc.oneof(
      { weight: 6, arbitrary: fc.constant<unknown>(undefined) },
      { weight: 1, arbitrary: odd },
      fc.constant<unknown>({ principal_tags: { a: ['b'] } }),
    ),
    role: fc.constantFrom('pod', 'pod', 'pod', 'pod', 'open', 'closed', 'nobody'),
    twist: fc.oneof({ weight: 10, arbitrary: fc.constant('') }, fc.constantFrom('.', 'x', '=', ' ', '.e30')),
  });

  /** At most this may be let in. */
  const mayEnter = ({
    by,
    alg,
    iss,
    aud,
    sub,
    exp,
    nbf,
    role,
    twist,
    kid,
    more,
  }: typeof said extends fc.Arbitrary<infer T> ? T : never): boolean =>
    by === 'ec' &&
    alg === 'ES256' &&
    (kid === 'one' || kid === undefined) &&
    !('crit' in more) &&
    iss === 'same' &&
    [aud].flat().includes(AUDIENCE) &&
    typeof sub === 'string' &&
    sub.startsWith(SUBJECTS) &&
    typeof exp === 'number' &&
    exp > -60 &&
    (nbf === undefined || (typeof nbf === 'number' && nbf < 60)) &&
    role === 'pod' &&
    twist.trim() === '';

  it('get nobody a session who is not named by the role and vouched for', { timeout: PATIENCE }, async () => {
    const yes = await all(said, async (one) => {
      const now = Math.floor(Date.now() / 1000);
      const at = (value: unknown): unknown => (typeof value === 'number' ? now + value : value);
      const { by, alg, kid, more, aud, sub, tags, role, twist } = one;
      const payload = {
        iss: one.iss === 'same' ? issuer.url : one.iss,
        aud,
        sub,
        exp: at(one.exp),
        nbf: at(one.nbf),
        iat: at(one.iat),
        'https://aws.amazon.com/tags': tags,
      };
      const token = webToken(issuer, by, { header: { alg, kid, ...more }, payload }) + twist;
      const form = formOf({
        Action: 'AssumeRoleWithWebIdentity',
        RoleArn: roleArn(role),
        RoleSessionName: 'fuzz',
        WebIdentityToken: token,
      });
      const answer = await sts(form);
      expectAnswer(answer, one);
      const keys = credentialsIn(answer.body);
      if (keys === undefined) return false;
      if (!mayEnter(one)) expect.fail(`let in: ${JSON.stringify(one)}`);
      if (await mayRead(keys, '/other/key')) expect.fail(`reads what its role does not: ${JSON.stringify(one)}`);
      return true;
    });
    expect(yes).toBeGreaterThan(0);
  });
});

describe('forms', () => {
  const everything = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}';
  const nothing = '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":"*","Resource":"*"}]}';
  const elsewhere =
    '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::other/*"}]}';
  const name = fc.oneof(
    {
      weight: 9,
      arbitrary: fc.constantFrom(
        'DurationSeconds',
        'Policy',
        'ExternalId',
        'SourceIdentity',
        'Tags.member.1.Key',
        'Tags.member.1.Value',
        'TransitiveTagKeys.member.1',
        'PolicyArns.member.1.arn',
        'TokenCode',
        'SerialNumber',
        'RoleArn',
        'Action',
        'Version',
        'ProvidedContexts.member.1',
        'tags.member.1.key',
        'X-Amz-Security-Token',
      ),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 10 }) },
  );
  const value = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        everything,
        nothing,
        elsewhere,
        '900',
        '901',
        '-1',
        '1e3',
        'team',
        '',
        '*',
        '${aws:username}',
        roleArn('closed'),
        roleArn('open'),
        `arn:aws:iam::${NUMBER}:policy/x`,
        '{',
        '[]',
        '{"Statement":[]}',
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  );
  const said = fc.record({
    by: fc.constantFrom('alice', 'alice', 'alice', 'main', 'nobody', 'unsigned', 'session'),
    action: fc.constantFrom(
      'AssumeRole',
      'AssumeRole',
      'AssumeRole',
      'GetSessionToken',
      'GetCallerIdentity',
      'assumerole',
      'AssumeRoleWithWebIdentity',
      'AssumeRoleWithSAML',
      '__proto__',
    ),
    role: fc.constantFrom(
      roleArn('open'),
      roleArn('open'),
      roleArn('open'),
      roleArn('closed'),
      roleArn('OPEN'),
      `${roleArn('open')} `,
      roleArn('open', '999999999999'),
      'open',
    ),
    session: fc.oneof({ weight: 8, arbitrary: fc.constant('fuzz') }, fc.constantFrom('', 'a/b', '../x', 'é')),
    more: fc.array(fc.tuple(name, value), { maxLength: 4 }),
    twist: fc.oneof(
      { weight: 12, arbitrary: fc.constant('') },
      fc.constantFrom('&', '&&', '&=', '&%', '&Policy', ';Policy=x', '#', '\u0000'),
    ),
  });

  it('get nobody what the trust and the policies do not give', { timeout: PATIENCE }, async () => {
    const session = await assumed();
    const yes = await all(said, async ({ by, action, role, session: called, more, twist }) => {
      const pairs = [
        ['Action', action],
        ['Version', '2011-06-15'],
        ['RoleArn', role],
        ['RoleSessionName', called],
        ...more,
      ];
      const form = new URLSearchParams(pairs as [string, string][]).toString() + twist;
      const keys = by === 'unsigned' ? undefined : by === 'session' ? session : keysOf(by);
      const answer = await sts(form, keys);
      const told = JSON.stringify({ by, action, role, called, more, twist });
      expectAnswer(answer, told);
      const made = credentialsIn(answer.body);
      if (made === undefined) return false;
      const isKeySession = action === 'GetSessionToken' && (by === 'alice' || by === 'main');
      const isRoleSession = action === 'AssumeRole' && role === roleArn('open') && by === 'alice';
      if (!isKeySession && !isRoleSession) expect.fail(`got a session: ${told}`);
      if (isRoleSession) {
        expect(element(answer.body, 'Arn')).toBe(`arn:aws:sts::${NUMBER}:assumed-role/open/${called}`);
        if (await mayRead(made, '/other/key')) expect.fail(`reads what its role does not: ${told}`);
        const policies = more.filter(([one]) => one === 'Policy').map(([, text]) => text);
        const may = policies.every((text) => text === everything);
        if ((await mayRead(made, '/data/key')) && !may) expect.fail(`reads what its policy does not: ${told}`);
      }
      return true;
    });
    expect(yes).toBeGreaterThan(0);
  });
});
