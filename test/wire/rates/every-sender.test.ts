import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fields, exactly, formRequest, signedV2, signedV4 } from '../../support/clients/post-form.ts';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { presignedHead, presignedV2Head, signedHead } from '../../support/clients/sign-raw.ts';
import {
  type Keys,
  NUMBER,
  callSts,
  directoryOf,
  keysOf,
  roleArn,
  sessionsOf,
} from '../../support/clients/sts-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';
import { type Limited, limited, limits } from './limits.ts';

/*
 * Each way to say who sends a request against each limit. Whoever is found, wherever that is in the request, counts;
 * and whoever it seemed to be does not count any longer.
 */

const BUCKET = 'rated';
const SITE = '<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument></WebsiteConfiguration>';
const USER = `arn:aws:iam::${NUMBER}:user/alice`;
const ROLE = roleArn('worker');
const directory = directoryOf({
  users: [{ name: 'alice', buckets: [BUCKET] }],
  roles: [{ name: 'worker', trust: { users: ['alice'] }, buckets: [BUCKET] }],
});
const ACCOUNT = directory.byName('main')?.canonicalId ?? '';
let gateway: TestGateway;
/** Of the role, and of the user. */
let [session, userSession]: Required<Keys>[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({
    accounts: directory,
    sessions: sessionsOf(directory),
    rates: limits,
    presignedV2: true,
  });
  limited();
  const { port } = gateway;
  const keys = keysOf('alice');
  session = (
    await callSts({ port, keys, parameters: { Action: 'AssumeRole', RoleArn: ROLE, RoleSessionName: 'one' } })
  ).keys();
  userSession = (await callSts({ port, keys, parameters: { Action: 'GetSessionToken' } })).keys();
  const put = async (target: string, body: string): Promise<void> => {
    const headers = { 'x-amz-acl': 'public-read-write', 'content-length': String(body.length) };
    const head = signedHead({ method: 'PUT', target, headers, ...secretOf(keysOf('main')) });
    expect((await roundTrip(port, head + body, 'PUT')).status).toBe(200);
  };
  await put(`/${BUCKET}`, '');
  await put(`/${BUCKET}?website`, SITE);
  await put(`/${BUCKET}/index.html`, 'a page');
});

beforeEach(() => limited());
afterAll(() => gateway.close());

type Scope = 'account' | 'user' | 'role' | 'anonymous' | 'bucket' | 'otherBucket';
const LIMITS: Readonly<Record<Scope, Limited>> = {
  account: { account: ACCOUNT },
  user: { identity: USER },
  role: { identity: ROLE },
  anonymous: { anonymous: true },
  bucket: { bucket: BUCKET },
  otherBucket: { bucket: 'other' },
};

const secretOf = ({ accessKeyId, secretAccessKey }: Keys): { accessKey: string; secretKey: string } => ({
  accessKey: accessKeyId,
  secretKey: secretAccessKey,
});
const TARGET = `/${BUCKET}/index.html`;
const ask = async (head: string): Promise<number> => (await roundTrip(gateway.port, head)).status;
const visit = (host: string, target: string): Promise<number> => ask(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
const signed = (keys: Keys, target = TARGET): Promise<number> => {
  const token = keys.sessionToken === undefined ? {} : { 'x-amz-security-token': keys.sessionToken };
  return ask(signedHead({ target, headers: token, ...secretOf(keys) }));
};
const FIELDS: Fields = [['key', 'posted']];
const post = async (fields: Fields, headers = {}): Promise<number> =>
  (await roundTrip(gateway.port, formRequest(BUCKET, { fields, file: 'bytes' }, headers), 'POST')).status;
const posted = (keys: Keys, sign: typeof signedV4 | typeof signedV2 = signedV4): Promise<number> => {
  const { sessionToken } = keys;
  const fields: Fields = [
    ...FIELDS,
    ...(sessionToken === undefined ? [] : [['x-amz-security-token', sessionToken] as const]),
  ];
  return post(sign(fields, exactly(fields, BUCKET), secretOf(keys)));
};
/** STS has another status for it. */
const sts = async (keys: Keys, how: object = {}): Promise<number> => {
  const answer = await callSts({ port: gateway.port, keys, parameters: { Action: 'GetCallerIdentity' }, ...how });
  return answer.field('Code') === 'Throttling' ? 503 : answer.status;
};

interface Way {
  readonly ask: () => Promise<number>;
  readonly counts: readonly Scope[];
  /** Limits that are asked before it is known who sends it. */
  readonly atTheDoor?: readonly Scope[];
}

const alice = keysOf('alice');
const OF_ALICE: readonly Scope[] = ['account', 'user', 'bucket'];
const OF_WORKER: readonly Scope[] = ['account', 'role', 'bucket'];
const OF_NOBODY: readonly Scope[] = ['anonymous', 'bucket'];
const DOOR = { atTheDoor: ['anonymous'] } as const;

const WAYS: Readonly<Record<string, Way>> = {
  'a signature in headers': { ask: () => signed(alice), counts: OF_ALICE },
  "a signature of the account's root": { ask: () => signed(keysOf('main')), counts: ['account', 'bucket'] },
  'a presigned URL': { ask: () => ask(presignedHead({ target: TARGET, ...secretOf(alice) })), counts: OF_ALICE },
  'a presigned URL of version 2': {
    ask: () => ask(presignedV2Head({ target: TARGET, ...secretOf(alice) })),
    counts: OF_ALICE,
  },
  'a session of a user': { ask: () => signed(userSession ?? alice), counts: OF_ALICE },
  'a session of a role': { ask: () => signed(session ?? alice), counts: OF_WORKER },
  'a request that names no bucket': { ask: () => signed(alice, '/'), counts: ['account', 'user'] },
  'no signature': { ask: () => visit('localhost', TARGET), counts: OF_NOBODY },
  'a visit to a website': { ask: () => visit(`${BUCKET}.web.localhost`, '/'), counts: OF_NOBODY },
  'a signed visit to a website': {
    ask: () => ask(signedHead({ target: '/', host: `${BUCKET}.web.localhost`, ...secretOf(alice) })),
    counts: OF_NOBODY,
  },
  'a form that nobody signed': { ask: () => post(FIELDS), counts: OF_NOBODY },
  'a form': { ask: () => posted(alice), counts: OF_ALICE, ...DOOR },
  'a form of version 2': { ask: () => posted(alice, signedV2), counts: OF_ALICE, ...DOOR },
  'a form of a session': { ask: () => posted(session ?? alice), counts: OF_WORKER, ...DOOR },
  'STS, signed': { ask: () => sts(alice), counts: ['account', 'user'] },
  'STS, presigned': { ask: () => sts(alice, { method: 'GET', presigned: 60 }), counts: ['account', 'user'] },
  'STS, a session': { ask: () => sts(session ?? alice), counts: ['account', 'role'] },
};

describe.each(Object.entries(WAYS))('%s', (_name, { ask: send, counts, atTheDoor = [] }) => {
  test('counts on the limits of its sender, and on no other', async () => {
    for (const [scope, limit] of Object.entries(LIMITS) as [Scope, Limited][]) {
      limited(limit);
      const expected = counts.includes(scope) || atTheDoor.includes(scope);
      expect((await send()) >= 500 ? 'told to wait' : 'served', scope).toBe(expected ? 'told to wait' : 'served');
    }
    limited();
    expect(await send()).toBeLessThan(300);
  });
});

test('a signed form leaves room for strangers as soon as its signature is read', async () => {
  limited({ anonymous: true, concurrency: 1 });
  const fields = signedV4(FIELDS, exactly(FIELDS, BUCKET), secretOf(alice));
  const whole = formRequest(BUCKET, { fields, file: 'x'.repeat(100_000) });
  const connection = await RawConnection.open(gateway.port);
  try {
    connection.send(whole.subarray(0, -50_000));
    await expect.poll(() => visit('localhost', TARGET)).toBe(200);
    connection.send(whole.subarray(-50_000));
    expect((await connection.answer('POST')).status).toBe(204);
  } finally {
    connection.close();
  }
});
