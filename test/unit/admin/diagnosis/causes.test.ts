import {
  GetObjectAclCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cause, Certainty } from '../../../../src/admin/diagnosis/diagnosis.ts';
import {
  altersHeader,
  altersTarget,
  both,
  startAlteringProxy,
  type Alter,
  type AlteringProxy,
} from '../../../support/altering-proxy.ts';
import { roundTrip } from '../../../support/raw-http.ts';
import { presignedHead, signedHead, type RawRequestOptions } from '../../../support/sign-raw.ts';
import { SECRETS, SESSION, startJudgingServer, type JudgingServer } from './judging-server.ts';

const ACCESS_KEY = 'AKIAIOSFODNN7EXAMPLE';
const SECRET = SECRETS[ACCESS_KEY] ?? '';

let server: JudgingServer;
let proxy: AlteringProxy;

beforeAll(async () => {
  server = await startJudgingServer();
  proxy = await startAlteringProxy(server.port);
});

afterAll(async () => {
  await proxy.close();
  await server.close();
});

function client(changes: S3ClientConfig = {}): S3Client {
  const endpoint = `http://localhost:${proxy.port}`;
  const credentials = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET };
  return new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1, ...changes });
}

type PresignOptions = NonNullable<Parameters<typeof getSignedUrl>[2]>;

/** One request in both ways of signing. */
interface Command {
  readonly send: (s3: S3Client) => Promise<unknown>;
  readonly url: (s3: S3Client, options: PresignOptions) => Promise<string>;
}

async function sendBySdk({ send }: Command, changes: S3ClientConfig = {}): Promise<void> {
  const s3 = client(changes);
  // The server answers nothing that the SDK could read; what it found out counts.
  await send(s3).catch(() => undefined);
  s3.destroy();
}

interface Presigned {
  readonly config?: S3ClientConfig;
  readonly at?: Date;
  readonly method?: string;
  readonly contentType?: string;
}

async function sendPresigned(
  command: Command,
  { config = {}, at, method = 'GET', contentType }: Presigned = {},
): Promise<void> {
  const s3 = client(config);
  const url = await command.url(s3, {
    expiresIn: 600,
    ...(at !== undefined && { signingDate: at }),
    ...(contentType !== undefined && { signableHeaders: new Set(['content-type']) }),
  });
  s3.destroy();
  const headers = { connection: 'close', ...(contentType !== undefined && { 'content-type': contentType }) };
  await fetch(url, { method, headers, ...(method === 'PUT' && { body: 'x' }) });
}

async function sendRaw(make: (options: RawRequestOptions) => string, options: RawRequestOptions): Promise<void> {
  await roundTrip(
    proxy.port,
    make({ host: `localhost:${proxy.port}`, accessKey: ACCESS_KEY, secretKey: SECRET, ...options }),
  );
}

/** Each of them goes through untouched before it is altered. */
async function expectCause(
  send: () => Promise<void>,
  alter: Alter,
  cause: Cause,
  certainty: Certainty = 'proved',
): Promise<void> {
  proxy.alter = (head) => head;
  await send();
  expect(server.last, 'the request is right as long as nobody alters it').toBeUndefined();
  proxy.alter = alter;
  await send();
  expect(server.last?.diagnosis.hints[0]).toMatchObject({ cause, certainty });
}

/** Refused for what the client does, not for what happens on the way. */
async function expectFault(send: () => Promise<void>, cause: Cause, certainty: Certainty = 'proved'): Promise<void> {
  proxy.alter = (head) => head;
  await send();
  expect(server.last?.diagnosis.hints[0]).toMatchObject({ cause, certainty });
}

function put(): Command {
  const command = (): PutObjectCommand =>
    new PutObjectCommand({ Bucket: 'bucket', Key: 'notes/a b+c.txt', Body: 'x', ContentType: 'text/plain' });
  return { send: (s3) => s3.send(command()), url: (s3, options) => getSignedUrl(s3, command(), options) };
}

function get(Key = 'notes/a b+c.txt'): Command {
  const command = (): GetObjectCommand => new GetObjectCommand({ Bucket: 'bucket', Key });
  return { send: (s3) => s3.send(command()), url: (s3, options) => getSignedUrl(s3, command(), options) };
}

function acl(): Command {
  const command = (): GetObjectAclCommand => new GetObjectAclCommand({ Bucket: 'bucket', Key: 'k' });
  return { send: (s3) => s3.send(command()), url: (s3, options) => getSignedUrl(s3, command(), options) };
}

function list(): Command {
  const command = (): ListObjectsV2Command => new ListObjectsV2Command({ Bucket: 'bucket', Prefix: 'a b' });
  return { send: (s3) => s3.send(command()), url: (s3, options) => getSignedUrl(s3, command(), options) };
}

describe('altered header', () => {
  const charset = altersHeader('content-type', (value) => `${value}; charset=utf-8`);
  test('by header', () => expectCause(() => sendBySdk(put()), charset, 'altered-header'));
  test('presigned', () =>
    expectCause(() => sendPresigned(put(), { method: 'PUT', contentType: 'text/plain' }), charset, 'altered-header'));

  test.each([
    ['accept-encoding', 'identity', altersHeader('accept-encoding', 'gzip')],
    ['accept-encoding', 'gzip', altersHeader('accept-encoding', undefined)],
    ['expect', '100-continue', altersHeader('expect', undefined)],
    ['te', 'trailers', altersHeader('te', undefined)],
    ['connection', 'keep-alive', altersHeader('connection', 'close')],
    ['x-forwarded-for', '192.0.2.1', altersHeader('x-forwarded-for', (value) => `${value}, 198.51.100.7`)],
    ['x-amz-meta-list', 'a,b', altersHeader('x-amz-meta-list', 'a, b')],
  ])('%s: %s', async (name, value, alter) => {
    await expectCause(
      () => sendRaw(signingAll, { target: '/bucket/k', headers: { [name]: value } }),
      alter,
      'altered-header',
    );
  });

  test('one that is gone and that nobody can guess', () =>
    expectCause(
      () => sendRaw(signingAll, { target: '/bucket/k', headers: { 'user-agent': 'mine/1' } }),
      altersHeader('user-agent', undefined),
      'altered-header',
      'likely',
    ));

  test('one that nobody can guess, through a proxy that leaves traces', () =>
    expectCause(
      () => sendRaw(signingAll, { target: '/bucket/k', headers: { 'user-agent': 'mine/1' } }),
      both(altersHeader('user-agent', 'proxy/2'), altersHeader('via', '1.1 proxy')),
      'altered-header',
      'likely',
    ));

  test('one that was added and must be signed', () =>
    expectCause(() => sendBySdk(get()), altersHeader('x-amz-cf-id', 'abc'), 'unsigned-header'));
});

describe('re-encoded path', () => {
  const twice = altersTarget((target) => target.replaceAll('%', '%25'));
  test('by header', () => expectCause(() => sendBySdk(put()), twice, 're-encoded-path'));
  test('presigned', () =>
    expectCause(
      () => sendPresigned(get()),
      altersTarget((target) => target.replace(/^[^?]*/, (path) => path.replaceAll('%', '%25'))),
      're-encoded-path',
    ));

  test.each([
    ['a//b/c', altersTarget((target) => target.replace('//', '/'))],
    ['a+b', altersTarget((target) => target.replace('%2B', '+').replace('+', '%20'))],
    ['caf\u00e9', altersTarget((target) => target.replace('caf%C3%A9', 'cafe%CC%81'))],
    ['50%25', altersTarget((target) => target.replaceAll('%25', '%'))],
    ['folder/', altersTarget((target) => target.replace('folder/', 'folder'))],
  ])('%s', async (key, alter) => {
    await expectCause(() => sendPresigned(get(key)), alter, 're-encoded-path');
  });

  test('escaped slash', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/bucket/a%2Fb' }),
      altersTarget(() => '/bucket/a/b'),
      're-encoded-path',
    ));
});

describe('changed host', () => {
  const named = (): Alter =>
    both(altersHeader('host', 'upstream.internal'), altersHeader('x-forwarded-host', `localhost:${proxy.port}`));
  test('by header', () => expectCause(() => sendBySdk(get()), named(), 'changed-host'));
  test('presigned', () => expectCause(() => sendPresigned(get()), named(), 'changed-host'));
  test('port cut off, nobody says so', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/b/k', host: 'localhost:9000' }),
      altersHeader('host', 'localhost'),
      'changed-host',
    ));
  test('another configured name', () =>
    expectCause(
      () => sendRaw(presignedHead, { target: '/b/k', host: 's3.example.com' }),
      altersHeader('host', 'pod-1:9000'),
      'changed-host',
    ));
  test('bucket moved from host to path', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/k/l', host: 'photos.s3.example.com' }),
      both(
        altersHeader('host', 's3.example.com'),
        altersTarget((target) => `/photos${target}`),
      ),
      'changed-host',
    ));
  test('a name that nobody knows, through a proxy that leaves traces', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/b/k', host: 'public.example.org' }),
      both(altersHeader('host', 'pod-1'), altersHeader('via', '1.1 proxy')),
      'changed-host',
      'likely',
    ));
  test('host and path', async () => {
    await expectCause(
      () => sendRaw(signedHead, { target: '/b/a%20b', host: 's3.example.com' }),
      both(
        altersHeader('host', 's3.example.com:9000'),
        altersTarget(() => '/b/a%2520b'),
      ),
      'changed-host',
    );
    expect(server.last?.diagnosis.hints.map(({ cause }) => cause)).toEqual(['changed-host', 're-encoded-path']);
  });
});

describe('trimmed space', () => {
  const fold = altersHeader('x-amz-meta-note', (value) => value.replaceAll(/ +/g, ' ').trim());
  /** A client that signs spaces as they are: nothing but an exact server would let it in, so it is never right. */
  test.each([
    ['by header', signedHead],
    ['presigned', presignedHead],
  ])('%s', async (_, make) => {
    proxy.alter = fold;
    await sendRaw(make, { target: '/b/k', headers: { 'x-amz-meta-note': 'two  spaces' } });
    expect(server.last?.diagnosis.hints).toMatchObject([{ cause: 'trimmed-space', certainty: 'proved' }]);
    proxy.alter = (head) => head;
    await sendRaw(make, { target: '/b/k', headers: { 'x-amz-meta-note': 'end ' } });
    expect(server.last?.diagnosis.hints).toMatchObject([{ cause: 'trimmed-space', certainty: 'proved' }]);
  });

  const trimmed = altersTarget((target) => target.replace('note%20', 'note'));
  test('of a key, by header', () => expectCause(() => sendBySdk(get('note ')), trimmed, 'trimmed-space'));
  test('of a key, presigned', () => expectCause(() => sendPresigned(get('note ')), trimmed, 'trimmed-space'));
  test('of a prefix', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/b?list-type=2&prefix=a%20' }),
      altersTarget((target) => target.replace(/%20$/, '')),
      'trimmed-space',
    ));
});

describe('lost query', () => {
  const without = (name: string): Alter =>
    altersTarget((target) =>
      target.replace(new RegExp(`([?&])${name}(=[^&]*)?(&|$)`), (_, before: string, _value, after: string) =>
        after === '' ? '' : before,
      ),
    );
  test('by header', () => expectCause(() => sendBySdk(acl()), without('acl'), 'lost-query'));
  test('presigned', () => expectCause(() => sendPresigned(acl()), without('acl'), 'lost-query'));
  test('the name of the operation', () => expectCause(() => sendPresigned(get()), without('x-id'), 'lost-query'));
  test('a value', () =>
    expectCause(
      () => sendRaw(signedHead, { target: '/b?list-type=2&prefix=x' }),
      altersTarget((target) => target.replace('list-type=2', 'list-type=')),
      'lost-query',
    ));
  test('a parameter of the signature', () =>
    expectCause(() => sendPresigned(get()), without('X-Amz-Expires'), 'lost-query', 'likely'));
  test('one added', () =>
    expectCause(
      () => sendPresigned(get()),
      altersTarget((target) => `${target}&utm_source=mail`),
      'altered-query',
    ));
  test('in another order is no fault', async () => {
    proxy.alter = altersTarget((target) =>
      target.replace(/\?(.*)$/, (_, query: string) => `?${query.split('&').toReversed().join('&')}`),
    );
    await sendBySdk(list());
    expect(server.last).toBeUndefined();
  });
});

describe('wrong region', () => {
  test('by header', () => expectFault(() => sendBySdk(get(), { region: 'eu-central-1' }), 'wrong-region'));
  test('presigned', () =>
    expectFault(() => sendPresigned(get(), { config: { region: 'eu-central-1' } }), 'wrong-region'));
});

describe('wrong secret', () => {
  const secret = (secretAccessKey: string, accessKeyId = ACCESS_KEY): S3ClientConfig => ({
    credentials: { accessKeyId, secretAccessKey },
  });
  test('by header', () => expectFault(() => sendBySdk(get(), secret('guessed')), 'wrong-secret', 'likely'));
  test('by header, with a body', () =>
    expectFault(() => sendBySdk(put(), secret('guessed')), 'wrong-secret', 'likely'));
  test('presigned', () =>
    expectFault(() => sendPresigned(get(), { config: secret('guessed') }), 'wrong-secret', 'likely'));
  test.each([`${SECRET}\n`, `${SECRET} `, `"${SECRET}"`, encodeURIComponent(SECRET), 'another secret'])(
    '%j',
    async (wrong) => {
      await expectFault(() => sendBySdk(get(), secret(wrong)), 'wrong-secret');
      await expectFault(() => sendPresigned(get(), { config: secret(wrong) }), 'wrong-secret');
    },
  );
  test('of a key that is not there', () =>
    expectFault(() => sendBySdk(get(), secret(SECRET, 'AKIAGONEGONEGONE0000')), 'unknown-access-key'));
  test('nor its secret', () =>
    expectFault(() => sendBySdk(get(), secret('guessed', ACCESS_KEY.toLowerCase())), 'unknown-access-key', 'likely'));
});

describe('shifted clock', () => {
  const HOURS = 3_600_000;
  test('ahead, by header', () =>
    expectFault(() => sendBySdk(get(), { systemClockOffset: 2 * HOURS }), 'shifted-clock'));
  test('behind, by header', () =>
    expectFault(() => sendBySdk(get(), { systemClockOffset: -HOURS / 3 }), 'shifted-clock'));
  test('ahead, presigned', () =>
    expectFault(() => sendPresigned(get(), { at: new Date(Date.now() + HOURS) }), 'shifted-clock'));
  test('behind, presigned: as if it had expired', async () => {
    await expectFault(() => sendPresigned(get(), { at: new Date(Date.now() - HOURS) }), 'expired-url');
    expect(server.last?.diagnosis.hints.map(({ cause }) => cause)).toContain('shifted-clock');
  });
  test('and a wrong secret', async () => {
    await expectFault(
      () =>
        sendBySdk(get(), {
          systemClockOffset: HOURS,
          credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: `${SECRET}\n` },
        }),
      'shifted-clock',
      'likely',
    );
    expect(server.last?.diagnosis.hints.map(({ cause }) => cause)).toContain('wrong-secret');
  });
});

describe('other faults', () => {
  test('a method that was changed', () =>
    expectCause(
      () => sendPresigned(get()),
      (head) => head.replace(/^GET/, 'HEAD'),
      'changed-method',
    ));
  test('a header cut short', () =>
    expectCause(
      () => sendBySdk(get()),
      altersHeader('authorization', (value) => value.replace(/, ?Signature=.*/, '')),
      'malformed',
      'likely',
    ));
  test('another scheme', () =>
    expectCause(() => sendBySdk(get()), altersHeader('authorization', 'Basic dTpw'), 'signature-version', 'likely'));
  test('a session token', () =>
    expectFault(
      () =>
        sendBySdk(get(), {
          credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET, sessionToken: 'secret-token' },
        }),
      'session-token',
      'likely',
    ));
});

describe('temporary credentials', () => {
  const credentials = (changes: Partial<typeof SESSION> = {}) => ({ credentials: { ...SESSION, ...changes } });
  const told = () => JSON.stringify(server.last?.diagnosis);

  test.each(['header', 'presigned'])('a secret with a line break, %s, as of a lasting key', async (how) => {
    const changes = credentials({ secretAccessKey: `${SESSION.secretAccessKey}\n` as typeof SESSION.secretAccessKey });
    await expectFault(
      () => (how === 'header' ? sendBySdk(get(), changes) : sendPresigned(get(), { config: changes })),
      'wrong-secret',
    );
    expect(told()).not.toContain(SESSION.sessionToken);
  });
  test('a method that was changed', async () => {
    await expectCause(
      () => sendPresigned(get(), { config: credentials() }),
      (head) => head.replace(/^GET/, 'HEAD'),
      'changed-method',
    );
    expect(told()).not.toContain(SESSION.sessionToken);
  });
  test('another token', () =>
    expectFault(
      () => sendBySdk(get(), credentials({ sessionToken: 'x' as typeof SESSION.sessionToken })),
      'session-token',
      'likely',
    ));
  test('no token', () =>
    expectFault(
      () => sendBySdk(get(), { credentials: { accessKeyId: SESSION.accessKeyId, secretAccessKey: 'x' } }),
      'session-token',
      'likely',
    ));
});

/** Signs every header, as some clients do. */
function signingAll(options: RawRequestOptions): string {
  return signedHead({ ...options, signAll: true });
}
