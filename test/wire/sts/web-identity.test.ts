import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type GenerateKeyPairResult, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { limited, limits } from '../rates/limits.ts';
import {
  callSts,
  directoryOf,
  NUMBER,
  roleArn,
  send,
  sessionsOf,
  type StsAnswer,
} from '../../support/clients/sts-client.ts';

/** An identity provider on loopback, whose keys and manners tests change. */
const issuer = {
  url: '',
  asked: 0,
  keys: [] as { kid: string; pair: GenerateKeyPairResult }[],
  jwksUri: '',
  answer: undefined as (() => { status: number; body: string }) | undefined,
};
let server: Server;
let gateway: TestGateway;
let stranger: GenerateKeyPairResult;

async function newKey(kid: string): Promise<void> {
  issuer.keys = [{ kid, pair: await generateKeyPair('RS256', { extractable: true }) }];
}

async function documentAt(path: string | undefined): Promise<{ status: number; body: string }> {
  if (issuer.answer !== undefined) return issuer.answer();
  if (path === '/.well-known/openid-configuration') {
    return { status: 200, body: JSON.stringify({ issuer: issuer.url, jwks_uri: issuer.jwksUri }) };
  }
  const keys = await Promise.all(
    issuer.keys.map(async ({ kid, pair }) => ({ ...(await exportJWK(pair.publicKey)), kid, alg: 'RS256', use: 'sig' })),
  );
  return { status: 200, body: JSON.stringify({ keys }) };
}

/** Each test has a gateway that has asked nobody yet. */
async function freshGateway(): Promise<void> {
  const accounts = directoryOf({
    identityProviders: [{ issuer: issuer.url, audiences: ['s3gw', 'other'] }],
    policies: {
      'by-tag': {
        Version: '2012-10-17',
        Statement: {
          Effect: 'Allow',
          Action: 's3:*',
          Resource: '*',
          Condition: { StringEquals: { 'aws:PrincipalTag/Department': 'Engineering' } },
        },
      },
    },
    roles: [
      {
        name: 'pod',
        trust: {
          webIdentity: [{ issuer: issuer.url, audiences: ['s3gw'], subjects: ['system:serviceaccount:kubeflow:*'] }],
        },
        buckets: ['data'],
      },
      {
        name: 'ci',
        trust: {
          Statement: [
            {
              Effect: 'Allow',
              Principal: { Federated: `arn:aws:iam::${NUMBER}:oidc-provider/${issuer.url.slice(7)}` },
              Action: 'sts:AssumeRoleWithWebIdentity',
              Condition: { StringEquals: { [`${issuer.url.slice(7)}:project_path`]: 'group/app' } },
            },
          ],
        },
      },
      {
        name: 'tagged',
        trust: {
          Statement: [
            {
              Effect: 'Allow',
              Principal: { Federated: `arn:aws:iam::${NUMBER}:oidc-provider/${issuer.url.slice(7)}` },
              Action: ['sts:AssumeRoleWithWebIdentity', 'sts:TagSession'],
              Condition: { StringEquals: { 'aws:RequestTag/Department': 'Engineering' } },
            },
          ],
        },
        policies: ['by-tag'],
      },
      { name: 'users-only', trust: { accounts: ['main'] } },
    ],
  });
  gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts), rates: limits });
}

beforeAll(async () => {
  stranger = await generateKeyPair('RS256', { extractable: true });
  server = createServer((request, response) => {
    issuer.asked += 1;
    // As Kubernetes has it.
    const isAccepted = request.url !== '/keys' || request.headers.accept?.includes('application/jwk-set+json') === true;
    const document = isAccepted ? documentAt(request.url) : Promise.resolve({ status: 406, body: '{}' });
    void document.then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'max-age=600' }).end(body),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(async () => {
  Object.assign(issuer, { asked: 0, answer: undefined, jwksUri: `${issuer.url}/keys` });
  await newKey('one');
  await freshGateway();
  return () => gateway.close();
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

const SUBJECT = 'system:serviceaccount:kubeflow:runner';

interface TokenOptions {
  readonly claims?: JWTPayload;
  readonly expires?: number;
  readonly by?: { kid?: string; pair: GenerateKeyPairResult };
  readonly alg?: string;
}

function token({ claims = {}, expires = 600, by = issuer.keys[0], alg = 'RS256' }: TokenOptions = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: issuer.url,
    aud: 's3gw',
    sub: SUBJECT,
    iat: now - 5,
    exp: now + expires,
    ...claims,
  };
  if (by === undefined) throw new Error('the issuer has no key');
  return new SignJWT(payload)
    .setProtectedHeader({ alg, ...(by.kid !== undefined && { kid: by.kid }) })
    .sign(by.pair.privateKey);
}

function assume(
  webIdentityToken: string,
  role = 'pod',
  more: Readonly<Record<string, string>> = {},
): Promise<StsAnswer> {
  return callSts({
    port: gateway.port,
    parameters: {
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: roleArn(role),
      RoleSessionName: 'pod-1',
      WebIdentityToken: webIdentityToken,
      ...more,
    },
  });
}

const result = ({ status, field }: StsAnswer): (number | string | undefined)[] => [status, field('Code')];

describe('AssumeRoleWithWebIdentity', () => {
  it('gives credentials to whom the trust policy names, without a signature', async () => {
    const answer = await assume(await token());
    expect(result(answer)).toEqual([200, undefined]);
    expect([
      answer.field('SubjectFromWebIdentityToken'),
      answer.field('Audience'),
      answer.field('Provider'),
      answer.field('Arn'),
    ]).toEqual([
      'system:serviceaccount:kubeflow:runner',
      's3gw',
      `arn:aws:iam::${NUMBER}:oidc-provider/${issuer.url.slice(7)}`,
      `arn:aws:sts::${NUMBER}:assumed-role/pod/pod-1`,
    ]);
    const who = await callSts({ port: gateway.port, keys: answer.keys(), parameters: { Action: 'GetCallerIdentity' } });
    expect(who.field('Arn')).toBe(`arn:aws:sts::${NUMBER}:assumed-role/pod/pod-1`);
  });

  it.each<[string, Record<string, string>]>([
    ['no type', {}],
    ['the type of a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])(
    'takes the parameters in the query of a POST without a body and with %s, as object_store sends them',
    async (_, headers) => {
      const sent = async (more: Readonly<Record<string, string>>): Promise<StsAnswer> => {
        const query = new URLSearchParams({
          Action: 'AssumeRoleWithWebIdentity',
          RoleArn: roleArn('pod'),
          RoleSessionName: 'pod-1',
          Version: '2011-06-15',
          WebIdentityToken: await token(),
          ...more,
        }).toString();
        return send({ port: gateway.port, method: 'POST', path: `/?${query}`, headers, body: '' });
      };
      expect((await sent({})).field('Arn')).toBe(`arn:aws:sts::${NUMBER}:assumed-role/pod/pod-1`);
      expect(result(await sent({ WebIdentityToken: 'a.b.c' }))).toEqual([400, 'InvalidIdentityToken']);
      expect(result(await sent({ Action: 'GetCallerIdentity' }))).toEqual([403, 'MissingAuthenticationToken']);
    },
  );

  it('counts on the limits of the role, once the token is known to be good for it', async () => {
    limited({ identity: roleArn('pod') });
    expect(result(await assume(await token()))).toEqual([400, 'Throttling']);
    expect(result(await assume(await token({ claims: { sub: 'x' } })))).toEqual([403, 'AccessDenied']);
    limited();
  });

  it('asks the issuer once, for discovery and keys, however many come', async () => {
    const web = await token();
    const answers = await Promise.all(Array.from({ length: 10 }, () => assume(web)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(issuer.asked).toBe(2);
  });

  it.each<[string, () => Promise<string>, string, [number, string]]>([
    [
      'another subject',
      () => token({ claims: { sub: 'system:serviceaccount:default:runner' } }),
      'pod',
      [403, 'AccessDenied'],
    ],
    [
      'an audience that the role does not take',
      () => token({ claims: { aud: 'other' } }),
      'pod',
      [403, 'AccessDenied'],
    ],
    [
      'an audience that the provider does not take',
      () => token({ claims: { aud: 'sts.amazonaws.com' } }),
      'pod',
      [400, 'InvalidIdentityToken'],
    ],
    ['a role for users', () => token(), 'users-only', [403, 'AccessDenied']],
    ['a role that is not there', () => token(), 'none', [403, 'AccessDenied']],
    ['a token that expired', () => token({ expires: -60 }), 'pod', [400, 'ExpiredTokenException']],
    ['a token without subject', () => token({ claims: { sub: '' } }), 'pod', [400, 'InvalidIdentityToken']],
    [
      'another issuer',
      () => token({ claims: { iss: 'https://elsewhere.example.com' } }),
      'pod',
      [400, 'InvalidIdentityToken'],
    ],
    [
      "a stranger's key under the name of the issuer's",
      () => token({ by: { kid: 'one', pair: stranger } }),
      'pod',
      [400, 'InvalidIdentityToken'],
    ],
    ['no token', () => Promise.resolve('nonsense'), 'pod', [400, 'InvalidIdentityToken']],
    [
      'an unsigned token',
      async () => {
        const [, payload = ''] = (await token()).split('.');
        return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
      },
      'pod',
      [400, 'InvalidIdentityToken'],
    ],
    [
      'a token signed with the public key as a shared secret',
      async () => {
        const [{ pair, kid }] = issuer.keys as [(typeof issuer.keys)[number]];
        const secret = Buffer.from(JSON.stringify(await exportJWK(pair.publicKey)));
        return new SignJWT({ iss: issuer.url, aud: 's3gw', sub: 'system:serviceaccount:kubeflow:x' })
          .setProtectedHeader({ alg: 'HS256', kid })
          .setIssuedAt()
          .setExpirationTime('1h')
          .sign(secret);
      },
      'pod',
      [400, 'InvalidIdentityToken'],
    ],
    ['a claim that the trust policy asks for and is not there', () => token(), 'ci', [403, 'AccessDenied']],
  ])('refuses %s', async (_, web, role, expected) => {
    expect(result(await assume(await web(), role))).toEqual(expected);
  });

  it('takes claims of the token as conditions', async () => {
    expect(result(await assume(await token({ claims: { project_path: 'group/app' } }), 'ci'))).toEqual([
      200,
      undefined,
    ]);
    expect(result(await assume(await token({ claims: { project_path: 'group/evil' } }), 'ci'))).toEqual([
      403,
      'AccessDenied',
    ]);
  });

  it.each<[string, JWTPayload, number]>([
    ['another subject, in other letters', { sub: 'system:serviceaccount:evil:x', SUB: SUBJECT }, 403],
    ['two of them', { sub: 'system:serviceaccount:evil:x', Sub: SUBJECT, SUB: SUBJECT }, 403],
    ['another subject beside the right one', { SUB: 'system:serviceaccount:evil:x' }, 200],
    ['another audience, in other letters', { aud: 'other', AUD: 's3gw' }, 403],
  ])('knows claims by their letters: %s', async (_, claims, status) => {
    expect((await assume(await token({ claims }))).status).toBe(status);
  });

  const TAGS = 'https://aws.amazon.com/tags';
  const department = (value: unknown) => ({ principal_tags: { Department: value } });

  it.each<[string, JWTPayload, [number, string?]]>([
    ['in a list', { [TAGS]: department(['Engineering']) }, [200]],
    ['as text', { [TAGS]: department('Engineering') }, [200]],
    ['flattened', { [`${TAGS}/principal_tags`]: { Department: ['Engineering'] } }, [200]],
    ['handed on', { [TAGS]: { ...department('Engineering'), transitive_tag_keys: ['department'] } }, [200]],
    ['of another value', { [TAGS]: department('Sales') }, [403, 'AccessDenied']],
    ['that are not there', {}, [403, 'AccessDenied']],
    ['of two values', { [TAGS]: department(['Engineering', 'Sales']) }, [400, 'InvalidIdentityToken']],
    ['of no value', { [TAGS]: department([]) }, [400, 'InvalidIdentityToken']],
    ['of no form', { [TAGS]: 'Department=Engineering' }, [400, 'InvalidIdentityToken']],
    [
      'handed on that are not there',
      { [TAGS]: { ...department('Engineering'), transitive_tag_keys: ['x'] } },
      [400, 'ValidationError'],
    ],
    ['with keys that none may have', { [TAGS]: { principal_tags: { 'a\nb': 'x' } } }, [400, 'ValidationError']],
    [
      'of one name in other letters',
      { [TAGS]: { principal_tags: { Department: 'Engineering', department: 'x' } } },
      [400, 'ValidationError'],
    ],
  ])('takes tags of the session from the token: %s', async (_, claims, [status, code]) => {
    const answer = await assume(await token({ claims }), 'tagged');
    expect(result(answer)).toEqual([status, code]);
    if (status !== 200) return;
    const { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken } = answer.keys();
    const headers = { 'x-amz-security-token': sessionToken };
    const head = signedHead({ method: 'PUT', target: '/tagged', accessKey, secretKey, headers });
    const made = await roundTrip(gateway.port, head, 'PUT');
    expect(made.status).toBe(200);
  });

  it('gives no tagged session of a role that does not let its session be tagged', async () => {
    const claims = { [TAGS]: department('Engineering') };
    expect(result(await assume(await token({ claims })))).toEqual([403, 'AccessDenied']);
  });

  it('does not ask anybody for tokens of an issuer that is not configured', async () => {
    await assume(await token({ claims: { iss: `${issuer.url}/other` } }));
    expect(issuer.asked).toBe(0);
  });

  it('asks again for a key that it does not know, but strangers cannot make it ask for each token', async () => {
    for (let at = 0; at < 5; at += 1) {
      expect(result(await assume(await token({ by: { kid: `made-up-${at}`, pair: stranger } })))).toEqual([
        400,
        'InvalidIdentityToken',
      ]);
    }
    expect(issuer.asked).toBe(2);
    expect(result(await assume(await token()))).toEqual([200, undefined]);
  });

  it.each<[string, () => { status: number; body: string }]>([
    ['fails', () => ({ status: 500, body: '' })],
    ['sends elsewhere', () => ({ status: 302, body: '' })],
    ['answers no JSON', () => ({ status: 200, body: '<html>' })],
    ['answers without end', () => ({ status: 200, body: ' '.repeat(300_000) })],
    [
      'says that it is another',
      () => ({ status: 200, body: JSON.stringify({ issuer: 'https://x', jwks_uri: `${issuer.url}/keys` }) }),
    ],
  ])('an issuer that %s is told as one', async (_, answer) => {
    issuer.answer = answer;
    expect(result(await assume(await token()))).toEqual([400, 'IDPCommunicationError']);
    const before = issuer.asked;
    expect(result(await assume(await token()))).toEqual([400, 'IDPCommunicationError']);
    expect(issuer.asked).toBe(before);
  });

  it('keys are not asked for over plain http elsewhere, whatever the discovery document says', async () => {
    issuer.jwksUri = 'http://169.254.169.254/latest/meta-data';
    expect(result(await assume(await token()))).toEqual([400, 'IDPCommunicationError']);
  });

  it('a long token is refused before anybody looks at it, and never echoed', async () => {
    const answer = await assume('x'.repeat(20_001));
    expect(result(answer)).toEqual([400, 'ValidationError']);
    expect(answer.text).not.toContain('xxxx');
    const large = await assume('x'.repeat(120_000));
    expect(result(large)).toEqual([413, 'RequestEntityTooLarge']);
  });
});
