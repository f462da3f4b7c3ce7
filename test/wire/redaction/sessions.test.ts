import { createHmac, hash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { disguises, shownBy, sink } from '../../support/observe/all-outputs.ts';
import { type Fields, exactly, formRequest, signedV2, signedV4 } from '../../support/clients/post-form.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { ACCESS_KEY, REGION, presignedHead, signedHead } from '../../support/clients/sign-raw.ts';
import { startCommand, testAccount } from '../../support/gateway/start-command.ts';

/**
 * Forms of pages, calls of the token service and what it hands out, used rightly and wrongly, against a gateway whose
 * every output is on at the lowest level. None of them may hold a secret, a token, or what a form was signed with.
 */
const secrets = new Map<string, string>();

function secret(what: string): string {
  const value = randomBytes(30).toString('base64url');
  secrets.set(`${what}: ${value}`, value);
  return value;
}

const ADMIN_TOKEN = secret('token of the admin port');
const SEALING = secret('sealing key');
const ROLE = 'arn:aws:iam::123456789012:role/vending';
const TYPE = 'application/x-www-form-urlencoded';
const { start, configFile } = startCommand();

interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly token: string;
}

let session: Keys = { accessKey: '', secretKey: '', token: '' };

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

type Parameters = Readonly<Record<string, string>>;

const text = (parameters: Parameters): string =>
  new URLSearchParams({ Version: '2011-06-15', ...parameters }).toString();

/** A form for the token service, signed. */
function sts(
  parameters: Parameters,
  { secretKey = 'vending-caller-secret-0001', accessKey = ACCESS_KEY } = {},
): string {
  const body = text(parameters);
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${date.slice(0, 8)}/${REGION}/sts/aws4_request`;
  const names = 'content-type;host;x-amz-date';
  const canonical = ['POST', '/', '', `content-type:${TYPE}`, 'host:localhost', `x-amz-date:${date}`, '', names];
  const toSign = ['AWS4-HMAC-SHA256', date, scope, hash('sha256', [...canonical, hash('sha256', body)].join('\n'))];
  const key = scope.split('/').reduce<Buffer | string>((previous, part) => hmac(previous, part), `AWS4${secretKey}`);
  const signature = hmac(key, toSign.join('\n')).toString('hex');
  secrets.set(`signature: ${signature}`, signature);
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${TYPE}\r\nx-amz-date: ${date}\r\nauthorization: ${authorization}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Without a signature. */
function plain(body: string, target = '/', type = TYPE): string {
  return `POST ${target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const assume = { Action: 'AssumeRole', RoleArn: ROLE, RoleSessionName: 'job' };

/** A JSON web token that nobody made. */
function webToken(what: string): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'RS256', kid: 'k' })}.${part({ iss: 'https://issuer.example', sub: 's', aud: 'a', exp: 9_999_999_999 })}.${secret(what)}`;
  secrets.set(`whole ${what}: ${token}`, token);
  return token;
}

const web = (what: string): Parameters => ({
  Action: 'AssumeRoleWithWebIdentity',
  RoleArn: ROLE,
  RoleSessionName: 'job',
  WebIdentityToken: webToken(what),
});

/** A form signed with the keys of the session, and its token in it. */
function sessionForm(
  key: string,
  more: Fields = [],
  {
    conditions,
    secretKey = session.secretKey,
    bucket = 'bucket',
  }: { readonly conditions?: readonly unknown[]; readonly secretKey?: string; readonly bucket?: string } = {},
): Buffer {
  const fields: Fields = [['key', key], ['x-amz-security-token', session.token], ...more];
  const signed = signedV4(fields, conditions ?? exactly(fields, bucket), { accessKey: session.accessKey, secretKey });
  return noted(bucket, signed);
}

/** What a form was signed with lets others send it again: the policy is worth its signature, and holds the token. */
function noted(bucket: string, fields: Fields): Buffer {
  for (const [name, value] of fields) {
    if (/^(?:policy|x-amz-signature|signature)$/.test(name)) secrets.set(`${name}: ${value}`, value);
  }
  return formRequest(bucket, { fields, file: 'bytes' });
}

const CASES: Readonly<Record<string, () => string | Buffer>> = {
  'a role that is assumed': () => sts(assume),
  'a role that is assumed by an external id': () => sts({ ...assume, ExternalId: 'external' }),
  'wrong secret': () => sts(assume, { secretKey: 'guessed' }),
  'unknown key': () => sts(assume, { accessKey: 'NOSUCHKEYNOSUCHKEY00' }),
  'session token of the caller': () => sts({ Action: 'GetSessionToken' }),
  'a code': () =>
    sts({ Action: 'GetSessionToken', SerialNumber: 'arn:aws:iam::123456789012:mfa/a', TokenCode: '123456' }),
  'web identity': () => plain(text(web('web token'))),
  'web identity in a query': () => `GET /?${text(web('web token in a query'))} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
  'web identity in other letters': () =>
    plain(text(web('web token in other letters')).replace('WebIdentityToken', 'webidentitytoken')),
  'web identity, unknown action': () =>
    plain(text({ ...web('web token of an unknown action'), Action: `Assume${'x'.repeat(20)}` })),
  'web identity as an action': () =>
    plain(text({ ...web('web token beside one'), Action: webToken('web token as action') })),
  'web identity as a role': () =>
    plain(text({ ...web('web token once more'), RoleArn: webToken('web token as role') })),
  'web identity as a session name': () =>
    plain(text({ ...web('web token again'), RoleSessionName: webToken('web token as name') })),
  'web identity of a version that is none': () =>
    plain(text({ ...web('web token, no version'), Version: webToken('token as version') })),
  'web identity to a bucket': () => plain(text(web('web token to a bucket')), '/bucket'),
  'web identity to a key': () => plain(text(web('web token to a key')), '/bucket/key'),
  'a password in a form': () => plain(text({ Action: 'x', Password: secret('password') })),
  'a session': () =>
    signedHead({ target: '/bucket/put', ...session, headers: { 'x-amz-security-token': session.token } }),
  'a session presigned': () =>
    presignedHead({ target: `/bucket/put?X-Amz-Security-Token=${session.token}`, ...session }),
  'a session with a wrong secret': () =>
    signedHead({
      target: '/bucket/put',
      ...session,
      secretKey: 'guessed',
      headers: { 'x-amz-security-token': session.token },
    }),
  'a session with a token cut off': () => {
    const token = session.token.slice(0, -3);
    secrets.set(`cut token: ${token}`, token);
    return signedHead({ target: '/bucket/put', ...session, headers: { 'x-amz-security-token': token } });
  },
  'a session that assumes': () => sts(assume, { accessKey: session.accessKey, secretKey: session.secretKey }),
  'a form': () =>
    noted(
      'bucket',
      signedV4([['key', 'form']], exactly([['key', 'form']], 'bucket'), { secretKey: 'vending-caller-secret-0001' }),
    ),
  'a form of version 2': () =>
    noted(
      'bucket',
      signedV2([['key', 'form2']], exactly([['key', 'form2']], 'bucket'), { secretKey: 'vending-caller-secret-0001' }),
    ),
  'a form of a session': () => sessionForm('form-of-session'),
  'a form with a wrong secret': () => sessionForm('form-wrong', [], { secretKey: 'guessed' }),
  'a form whose policy is of another token': () => {
    const other = secret('token in a policy');
    return sessionForm('form-other', [], {
      conditions: [{ bucket: 'bucket' }, ['eq', '$key', 'form-other'], ['eq', '$x-amz-security-token', other]],
    });
  },
  'a form whose policy begins with a token': () => {
    const other = secret('token a policy begins with');
    return sessionForm('form-prefix', [], {
      conditions: [{ bucket: 'bucket' }, ['starts-with', '$key', ''], ['starts-with', '$x-amz-security-token', other]],
    });
  },
  'a form whose policy does not allow a token': () =>
    sessionForm('form-extra', [], { conditions: [{ bucket: 'bucket' }, ['eq', '$key', 'form-extra']] }),
  'a form with a token twice': () => sessionForm('form-twice', [['X-Amz-Security-Token', secret('second token')]]),
  'a form with a redirect': () =>
    sessionForm('form-redirect', [
      ['success_action_redirect', `https://example.com/?access_token=${secret('token in a redirect')}`],
    ]),
  'a form with a broken redirect': () =>
    sessionForm('form-broken', [
      ['redirect', `ht tp://example.com/?access_token=${secret('token in a broken redirect')}`],
    ]),
  'a form with a customer key': () =>
    sessionForm('form-key', [
      ['x-amz-server-side-encryption-customer-algorithm', 'AES256'],
      ['x-amz-server-side-encryption-customer-key', randomBytes(32).toString('base64')],
      ['x-amz-server-side-encryption-customer-key-MD5', secret('digest of a customer key')],
    ]),
  'a form with fields that nobody knows': () =>
    sessionForm('form-unknown', [
      ['password', secret('password in a form')],
      ['x-ignore-token', secret('ignored token')],
    ]),
  'a form whose policy is none': () =>
    formRequest('bucket', {
      fields: [
        ['key', 'k'],
        ['policy', secret('policy')],
        ['x-amz-signature', secret('form signature')],
      ],
      file: 'x',
    }),
  'a form that is cut off': () => {
    const whole = sessionForm('form-cut');
    return Buffer.from(whole.toString('latin1').replace(/\r\n------form-of-a-test--\r\n$/, ''), 'latin1');
  },
  'a form for a bucket that fails': () => sessionForm('form', [], { bucket: 'dead-bucket' }),
  'keys to delete that are presigned URLs': () => {
    const key = `https://h/b/k?X-Amz-Signature=${secret('signature in a list')}`;
    const body = `<Delete><Object><Key>${key}</Key></Object></Delete>`;
    const headers = {
      'content-length': String(body.length),
      'content-md5': hash('md5', body, 'base64'),
      'x-amz-security-token': session.token,
    };
    return signedHead({ ...session, method: 'POST', target: '/bucket?delete', headers }) + body;
  },
  'a copy of what is called like a presigned URL': () => {
    const source = `https://h/b/k?X-Amz-Signature=${secret('signature in a source')}`;
    const headers = {
      'content-length': '0',
      'x-amz-copy-source': `/bucket/${encodeURIComponent(source)}`,
      'x-amz-security-token': session.token,
    };
    return signedHead({ ...session, method: 'PUT', target: '/bucket/copied', headers });
  },
  'a form whose key is a presigned URL': () =>
    sessionForm(`https://h/b/k?X-Amz-Signature=${secret('signature in a key')}`),
};

const outputs = new Map<string, string>();
const answers = new Map<string, string>();

/** Answers of the token service: what they hand out is what must not be seen. */
function take(answer: string): Keys {
  const field = (name: string): string => new RegExp(`<${name}>([^<]+)`).exec(answer)?.[1] ?? '';
  const [accessKey, secretKey, token] = [field('AccessKeyId'), field('SecretAccessKey'), field('SessionToken')];
  if (secretKey !== '') secrets.set(`secret of a session: ${secretKey}`, secretKey);
  if (token !== '') secrets.set(`token of a session: ${token}`, token);
  return { accessKey, secretKey, token };
}

async function run(format: 'json' | 's3', logLevel: string): Promise<void> {
  const spans = await sink();
  const account = {
    ...testAccount('vending-caller-secret-0001'),
    roles: [{ name: 'vending', trust: { accounts: ['main'] }, policy: 'account' }],
  };
  const dead = {
    kind: 'azure',
    owner: 'main',
    endpoint: 'http://127.0.0.1:1/account',
    retries: { attempts: 1 },
    credential: { kind: 'accountKey', keyEnv: 'KEY' },
  };
  const config = configFile(`${format}.yaml`, {
    accounts: [{ ...account, identityProviders: [{ issuer: 'http://127.0.0.1:1', audiences: ['a'] }] }],
    presignedV2: true,
    sts: { keysEnv: 'SEALING' },
    accessLog: { format },
    logLevel,
    admin: { port: 0, tokenEnv: 'ADMIN_TOKEN' },
    buckets: { default: 'store', rules: [{ pattern: 'dead-*', backend: 'dead' }] },
    backends: { store: { kind: 'memory', owner: 'main' }, dead },
  });
  const environment = { ADMIN_TOKEN, SEALING, KEY: Buffer.from(secret('account key')).toString('base64') };
  const traces = {
    OTEL_EXPORTER_OTLP_ENDPOINT: spans.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_TRACES_SAMPLER: 'always_on',
  };
  const started = start(['--config', config], { ...environment, ...traces });
  const [, port] = await started.printed(/"endpoints":\["http:\/\/127\.0\.0\.1:(\d+)"/);
  const [, admin = ''] = await started.printed(/"admin":"([^"]+)"/);
  const ask = async (request: string | Buffer): Promise<string> => {
    const { status, body } = await roundTrip(Number(port), request);
    take(body);
    return `${status} ${body}`;
  };
  const signing = { method: 'PUT', secretKey: 'vending-caller-secret-0001', headers: { 'content-length': '0' } };
  await ask(signedHead({ target: '/bucket', ...signing }));
  await ask(signedHead({ target: '/bucket/put', ...signing }));
  session = take(await ask(sts(assume)));
  for (const [name, make] of Object.entries(CASES)) answers.set(name, await ask(make()));
  const viewer = { admin, token: ADMIN_TOKEN, accessKey: ACCESS_KEY, secret, streamed: Object.keys(CASES).length };
  for (const [path, shown] of await shownBy(viewer)) outputs.set(`${format}: ${path}`, shown);
  started.child.kill('SIGTERM');
  await started.ended();
  outputs.set(`${format}: log and access log`, started.output());
  outputs.set(`${format}: spans`, spans.text());
  spans.close();
}

describe('what sessions and forms hold', () => {
  beforeAll(async () => {
    await run('json', 'trace');
    await run('s3', 'debug');
  }, 150_000);

  test('the requests were what they were meant to be', () => {
    expect(session.token.length).toBeGreaterThan(100);
    for (const name of ['a role that is assumed', 'session token of the caller', 'a session', 'a session presigned']) {
      expect(answers.get(name), name).toMatch(/^200/);
    }
    for (const name of ['a form', 'a form of version 2', 'a form of a session']) {
      expect(answers.get(name), name).toMatch(/^204/);
    }
    for (const name of ['wrong secret', 'a form with a wrong secret', 'a session with a wrong secret']) {
      expect(answers.get(name), name).toContain('SignatureDoesNotMatch');
    }
    expect(answers.get('a form whose policy is of another token')).toMatch(/^403/);
    expect(answers.get('a form for a bucket that fails')).toMatch(/^50[03]/);
    expect(outputs.get('json: log and access log')).toContain('form-of-session');
    expect(outputs.get('s3: spans')).toContain('form-of-session');
  });

  test('is in none of the outputs', () => {
    const found: string[] = [];
    for (const [output, shown] of outputs) {
      for (const [name, value] of secrets) {
        if (disguises(value).some((disguised) => shown.includes(disguised))) found.push(`${output} shows ${name}`);
      }
    }
    expect(found).toEqual([]);
  });
});
