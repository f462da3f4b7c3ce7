import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import {
  callSts,
  directoryOf,
  keysOf,
  roleArn,
  send,
  sessionsOf,
  type StsAnswer,
} from '../../support/clients/sts-client.ts';

let gateway: TestGateway;

beforeAll(async () => {
  const accounts = directoryOf({
    users: [{ name: 'alice' }],
    roles: [
      { name: 'closed', trust: { roles: ['closed'] } },
      { name: 'open', trust: { users: ['alice'] } },
    ],
  });
  gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts) });
});

afterAll(() => gateway.close());

function post(body: string, headers: Readonly<Record<string, string>> = {}): Promise<StsAnswer> {
  return send({
    port: gateway.port,
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });
}

it.each([
  ['policy', '{}'],
  ['Policy.', '{}'],
  ['PolicyArns.member.2.arn', 'arn:aws:iam::123456789012:policy/none'],
  ['PolicyArns.member.1', 'arn:aws:iam::123456789012:policy/none'],
  ['PolicyArns.member.01.arn', 'arn:aws:iam::123456789012:policy/none'],
  ['PolicyArns.1.arn', 'arn:aws:iam::123456789012:policy/none'],
  ['PolicyArns', 'arn:aws:iam::123456789012:policy/none'],
  ['policyArns.member.1.arn', 'arn:aws:iam::123456789012:policy/none'],
  ['Tags.member.1.key', 'k'],
  ['durationSeconds', '900'],
])('gives no session when a parameter is not understood: %s', async (name, said) => {
  const parameters = { Action: 'AssumeRole', RoleArn: roleArn('open'), RoleSessionName: 'one', [name]: said };
  const answer = await callSts({ port: gateway.port, keys: keysOf('alice'), parameters });
  expect([answer.status, answer.field('Code')]).toEqual([400, 'ValidationError']);
});

it('takes a list of nothing', async () => {
  const parameters = { Action: 'AssumeRole', RoleArn: roleArn('open'), RoleSessionName: 'one', PolicyArns: '' };
  expect((await callSts({ port: gateway.port, keys: keysOf('alice'), parameters })).status).toBe(200);
});

const NAMES = [
  'Action',
  'Version',
  'RoleArn',
  'RoleSessionName',
  'DurationSeconds',
  'Policy',
  'PolicyArns.member.1.arn',
  'Tags.member.1.Key',
  'Tags.member.1.Value',
  'TransitiveTagKeys.member.1',
  'ExternalId',
  'SourceIdentity',
  'WebIdentityToken',
  '__proto__',
  'constructor',
  'X-Amz-Security-Token',
];
const VALUES = [
  'AssumeRole',
  'AssumeRoleWithWebIdentity',
  'GetCallerIdentity',
  'GetSessionToken',
  '2011-06-15',
  roleArn('closed'),
  roleArn('open'),
  '900',
  '-1',
  '1e9',
  '',
  '{}',
  '{"Statement":[]}',
  '{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}',
  'eyJhbGciOiJub25lIn0.eyJpc3MiOiJ4In0.',
  '%',
  '\u0000',
  '\ud800',
];
const value = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const name = fc.oneof(
  { arbitrary: fc.constantFrom(...NAMES), weight: 8 },
  { arbitrary: fc.string({ maxLength: 12 }), weight: 1 },
);
const parameters = fc.array(fc.tuple(name, value), { maxLength: 12 });
const form = parameters.map((pairs) => new URLSearchParams(pairs).toString());

const TYPES = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-16',
  'APPLICATION/X-WWW-FORM-URLENCODED;;',
  'application/x-www-form-urlencodedx',
  'application/x-www-form-urlencoded, text/plain',
];
const HOSTS = ['localhost', 'sts.localhost', 'STS.localhost:80', 'sts.us-east-1.localhost', 'sts.localhost.'];
const TARGETS = [
  '/',
  '/?',
  '/?x',
  '/?Action=GetCallerIdentity&Version=2011-06-15',
  '//',
  '/%2f',
  `/?${'a&'.repeat(300)}`,
];
/** Ways to say where a body ends and what it is, with what is sent as it. */
const FRAMINGS: readonly ((body: Buffer) => readonly [lines: string, sent: Buffer])[] = [
  (body) => [`Content-Length: ${body.length}`, body],
  (body) => ['Transfer-Encoding: chunked', chunked(body)],
  (body) => [`Content-Length: ${body.length}\r\nContent-Encoding: gzip`, body],
  (body) => [`Content-Length: ${body.length}\r\nContent-Encoding: aws-chunked`, body],
  (body) => [`Content-Length: ${body.length}\r\nx-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER`, body],
  (body) => [`Content-Length: ${body.length}\r\nx-amz-content-sha256: UNSIGNED-PAYLOAD`, body],
  (body) => [`Content-Length: ${body.length}\r\nExpect: 100-continue`, body],
  (body) => [`Content-Length: ${2 * body.length}`, Buffer.concat([body, body])],
  () => ['Content-Length: 0', Buffer.alloc(0)],
];

function chunked(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)};a=b\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
}

describe('forms of strangers', () => {
  it('are answered with an error of STS, whatever they say, and give nobody credentials', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(form, fc.string()), { maxLength: 3 }), async (parts) => {
        const answer = await post(parts.join('&'));
        expect([400, 403]).toContain(answer.status);
        expect(answer.text).toMatch(/^<ErrorResponse /);
        expect(answer.text).not.toContain('SecretAccessKey');
      }),
      { numRuns: 300 },
    );
    expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('are answered however they are framed, addressed and encoded', async () => {
    const text = `Action=AssumeRole&Version=2011-06-15&RoleArn=${encodeURIComponent(roleArn('open'))}&RoleSessionName=job`;
    const bodies = [
      Buffer.from(text),
      Buffer.from(text, 'utf16le'),
      Buffer.from(`\ufeff${text}`),
      Buffer.from(`${text}&Policy=%c0%af`),
      Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0])]),
    ];
    const answers: string[] = [];
    for (const [framing, frame] of FRAMINGS.entries()) {
      for (const [at, body] of bodies.entries()) {
        const [lines, sent] = frame(body);
        const type = TYPES[(framing + at) % TYPES.length] ?? '';
        const host = HOSTS[(framing + 2 * at) % HOSTS.length] ?? '';
        for (const target of TARGETS) {
          const head = `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${type}\r\n${lines}\r\n\r\n`;
          const { status, body: answer } = await roundTrip(
            gateway.port,
            Buffer.concat([Buffer.from(head), sent]),
            'POST',
          );
          if (status < 400 || status >= 500 || answer.includes('SecretAccessKey')) answers.push(`${status} to ${head}`);
        }
      }
    }
    expect(answers).toEqual([]);
    expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('of users get a role that trusts them and no other', async () => {
    await fc.assert(
      fc.asyncProperty(parameters, async (pairs) => {
        const wanted = {
          Action: 'AssumeRole',
          RoleArn: roleArn('open'),
          RoleSessionName: 'job',
          ...Object.fromEntries(pairs.filter(([name]) => name !== 'Version')),
        };
        const answer = await callSts({ port: gateway.port, keys: keysOf('alice'), parameters: wanted });
        expect([200, 400, 403]).toContain(answer.status);
        if (answer.status === 200 && wanted.Action === 'AssumeRole') expect(wanted.RoleArn).toBe(roleArn('open'));
      }),
      { numRuns: 200 },
    );
    expect(gateway.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it.each<[string, string, Readonly<Record<string, string>>, string]>([
    ['a parameter twice', 'Action=GetCallerIdentity&Version=2011-06-15&Action=AssumeRole', {}, 'MalformedQueryString'],
    ['a broken escape', 'Action=%zz', {}, 'MalformedQueryString'],
    ['no UTF-8', 'Action=%ff', {}, 'MalformedQueryString'],
    [
      'more parameters than there can be',
      Array.from({ length: 300 }, (_, at) => `p${at}=`).join('&'),
      {},
      'MalformedQueryString',
    ],
    ['more bytes than there can be', `Action=${'x'.repeat(100_000)}`, {}, 'RequestEntityTooLarge'],
    [
      'a digest that is wrong',
      'Action=GetCallerIdentity&Version=2011-06-15',
      { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' },
      'ValidationError',
    ],
  ])('%s', async (_, body, headers, code) => {
    expect((await post(body, headers)).field('Code')).toBe(code);
  });

  it("S3 keeps what is its own: other bodies and addresses are none of STS's", async () => {
    const json = await send({
      port: gateway.port,
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const bucket = await send({
      port: gateway.port,
      method: 'POST',
      path: '/bucket',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'Action=x',
    });
    const virtual = await send({
      port: gateway.port,
      method: 'GET',
      path: '/?Action=GetCallerIdentity&Version=2011-06-15',
      headers: { host: 'bucket.localhost' },
      body: '',
    });
    for (const answer of [json, bucket, virtual]) expect(answer.text).toMatch(/^<\?xml[^>]*>\s*<Error>/);
  });
});
