import { hash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ReplaceableDirectory, replaceableDirectory } from '../../../src/access/directory.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { exactly, formRequest, signedV4 } from '../../support/clients/post-form.ts';
import { RawConnection, type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { framedLength, signedChunks } from '../../support/clients/signed-chunks.ts';
import { callSts, directoryOf, type Keys, keysOf, roleArn, sessionsOf } from '../../support/clients/sts-client.ts';

/**
 * Credentials are judged once, when a request begins; what is under way then is finished whatever becomes of them. The
 * next request is judged anew, also on the same connection.
 */

const HOUR_MS = 3600_000;
const VENDING = { name: 'vending', trust: { users: ['alice'] }, buckets: ['data'] };
const ACCOUNT = { users: [{ name: 'alice', buckets: ['data'] }], roles: [VENDING] };
const soon = (): string => new Date(Date.now() + 5000).toISOString();

/** Ahead by hours, from the second look after `steps` was set: at each await of a request it has gone on. */
const clock = { steps: false, looks: 0 };
const now = (): number => Date.now() + (clock.steps && ++clock.looks > 1 ? clock.looks * 2 * HOUR_MS : 0);
let accounts: ReplaceableDirectory;
let gateway: TestGateway;

beforeAll(async () => {
  accounts = replaceableDirectory(directoryOf(ACCOUNT));
  gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts, undefined, now) });
  await send(keysOf('main'), { method: 'PUT', target: '/data' });
  await send(keysOf('main'), { method: 'PUT', target: '/data/source', body: ['x'] });
});
afterAll(() => gateway.close());
afterEach(() => {
  Object.assign(clock, { steps: false, looks: 0 });
  accounts.replace(directoryOf(ACCOUNT));
});

interface Sent {
  readonly method: string;
  readonly target: string;
  /** The last piece is sent when something has happened to the credentials. */
  readonly body?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly isChunked?: boolean;
}

function bytesOf({ accessKeyId, secretAccessKey: secretKey, sessionToken }: Keys, sent: Sent): string[] {
  const { method, target, body = [], headers, isChunked = false } = sent;
  const length = isChunked ? framedLength(body) : body.join('').length;
  const head = signedHead({
    method,
    target,
    accessKey: accessKeyId,
    secretKey,
    ...(isChunked && { payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' }),
    headers: {
      ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
      ...(method !== 'GET' && { 'content-length': String(length) }),
      ...(isChunked && { 'x-amz-decoded-content-length': String(body.join('').length) }),
      ...headers,
    },
  });
  const framed = isChunked ? signedChunks(head, body, undefined, secretKey) : body.join('');
  const last = isChunked ? framed.indexOf('\r\n') + 2 + (body[0]?.length ?? 0) : (body[0]?.length ?? 0);
  return [head + framed.slice(0, last), framed.slice(last)];
}

const send = (keys: Keys, sent: Sent): Promise<RawAnswer> =>
  roundTrip(gateway.port, bytesOf(keys, sent).join(''), sent.method);
const code = ({ body }: RawAnswer): string | undefined => /<Code>(\w+)<\/Code>/.exec(body)?.[1];

async function assumed(): Promise<Required<Keys>> {
  const parameters = { Action: 'AssumeRole', RoleArn: roleArn('vending'), RoleSessionName: 'job' };
  return (await callSts({ port: gateway.port, keys: keysOf('alice'), parameters })).keys();
}

const KEYS = Array.from({ length: 120 }, (_, at) => `many/${String(at)}`);
const LIST = `<Delete>${KEYS.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`;
const REQUESTS: Readonly<Record<string, Sent>> = {
  'a body': { method: 'PUT', target: '/data/plain', body: ['a'.repeat(70_000), 'b'] },
  'a body larger than what is held': { method: 'PUT', target: '/data/large', body: ['a'.repeat(3_000_000), 'b'] },
  'signed chunks': { method: 'PUT', target: '/data/chunks', body: ['a'.repeat(70_000), 'b'], isChunked: true },
  DeleteObjects: {
    method: 'POST',
    target: '/data?delete',
    body: [LIST.slice(0, 500), LIST.slice(500)],
    headers: { 'content-md5': hash('md5', LIST, 'base64') },
  },
  'a copy': { method: 'PUT', target: '/data/copy', headers: { 'x-amz-copy-source': '/data/source' } },
  'a listing': { method: 'GET', target: '/data?list-type=2' },
  tags: {
    method: 'PUT',
    target: '/data/source?tagging',
    body: ['<Tagging><TagSet>', '<Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>'],
  },
};

const isAuthenticated = (): boolean => gateway.dispatcher.running().some(({ auth }) => auth !== undefined);

/** Sends all but the end, then what happens, then the end. @returns its answer, and that of a request behind it */
async function across(keys: Keys, sent: Sent, happens: () => void): Promise<[RawAnswer, RawAnswer]> {
  const [first = '', rest = ''] = bytesOf(keys, sent);
  const connection = await RawConnection.open(gateway.port);
  try {
    connection.send(first);
    if (rest !== '') await expect.poll(isAuthenticated).toBe(true);
    happens();
    connection.send(rest);
    const answer = await connection.answer(sent.method);
    connection.send(bytesOf(keys, { method: 'GET', target: '/data/source' }).join(''));
    return [answer, await connection.answer('GET')];
  } finally {
    connection.close();
  }
}

describe('temporary credentials that expire at the first await', () => {
  it.each(Object.entries(REQUESTS))('are good for what began before: %s', async (_, sent) => {
    const keys = await assumed();
    clock.steps = true;
    const [answer, next] = await across(keys, sent, () => undefined);
    expect([answer.status, answer.body.includes('<Error>'), next.status, code(next)]).toEqual([
      200,
      false,
      400,
      'ExpiredToken',
    ]);
  });

  it('are good for a form whose file comes later', async () => {
    const keys = await assumed();
    const fields = [
      ['key', 'form'],
      ['x-amz-security-token', keys.sessionToken],
    ] as const;
    const { accessKeyId: accessKey, secretAccessKey: secretKey } = keys;
    const signed = signedV4(fields, exactly(fields, 'data'), { accessKey, secretKey });
    const request = formRequest('data', { fields: signed, file: 'a'.repeat(200_000) });
    clock.steps = true;
    const connection = await RawConnection.open(gateway.port);
    try {
      connection.send(request.subarray(0, 100_000));
      await expect.poll(() => clock.looks).toBe(1);
      connection.send(request.subarray(100_000));
      expect((await connection.answer('POST')).status).toBe(204);
      connection.send(request);
      expect(code(await connection.answer('POST'))).toBe('ExpiredToken');
    } finally {
      connection.close();
    }
  });

  it('are looked at once by each call of STS', async () => {
    const keys = await assumed();
    clock.steps = true;
    const call = () => callSts({ port: gateway.port, keys, parameters: { Action: 'GetCallerIdentity' } });
    expect([(await call()).status, (await call()).field('Code')]).toEqual([200, 'ExpiredToken']);
  });
});

describe('credentials that are taken back while a request is under way', () => {
  const without = { users: [{ name: 'bob' }] };
  const STATES: Readonly<Record<string, readonly [role: boolean, () => object, string]>> = {
    'the role is revoked': [true, () => ({ ...ACCOUNT, roles: [{ ...VENDING, notBefore: soon() }] }), 'ExpiredToken'],
    'the role is gone': [true, () => without, 'InvalidToken'],
    'the role sees nothing': [true, () => ({ ...ACCOUNT, roles: [{ ...VENDING, buckets: ['x'] }] }), 'AccessDenied'],
    'the user is gone': [false, () => without, 'InvalidAccessKeyId'],
    'the user sees nothing': [false, () => ({ ...ACCOUNT, users: [{ name: 'alice' }] }), 'AccessDenied'],
  };
  const cases = Object.entries(STATES).flatMap(([what, state]) =>
    Object.entries(REQUESTS)
      .filter(([, { body }]) => body !== undefined)
      .map(([name, sent]) => [what, name, state, sent] as const),
  );

  it.each(cases)(
    '%s: %s is finished, nothing behind it is begun',
    async (_what, _name, [role, state, refusal], sent) => {
      const keys = role ? await assumed() : keysOf('alice');
      // Whatever is remembered of them is remembered now.
      expect((await send(keys, { method: 'GET', target: '/data/source' })).status).toBe(200);
      const [answer, next] = await across(keys, sent, () => accounts.replace(directoryOf(state())));
      expect([answer.status, answer.body.includes('<Error>'), code(next)]).toEqual([200, false, refusal]);
    },
  );
});
