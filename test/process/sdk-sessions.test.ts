import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { exportJWK, generateKeyPair, type GenerateKeyPairResult, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningTestbed, startTestbedWith } from '../support/gateway/testbed.ts';

/*
 * Temporary credentials as programs get them that know nothing of it: the SDK's own chain of credentials, told by a
 * profile or by the environment, over two gateway processes that have only their files in common.
 */

const NUMBER = '555555555555';
const SUBJECT = 'system:serviceaccount:kubeflow:default-editor';
const ROOT = { accessKeyId: 'LABLABLABLABLABLAB05', secretAccessKey: 'lab-secret-for-tests-only-000000000000005' };
const USER = { accessKeyId: 'CATALOGCATALOGCATA05', secretAccessKey: 'catalog-secret-for-tests-only-0000000005' };
const ALGORITHMS = ['RS256', 'ES256'] as const;
type Algorithm = (typeof ALGORITHMS)[number];

const folder = mkdtempSync(join(tmpdir(), 'sdk-sessions-'));
const tokenFile = join(folder, 'token');
const environment = { ...process.env };
const pairs = new Map<Algorithm, GenerateKeyPairResult>();
let issuer: Server;
let issuerUrl: string;
let testbed: RunningTestbed;

async function startIssuer(): Promise<void> {
  for (const algorithm of ALGORITHMS) pairs.set(algorithm, await generateKeyPair(algorithm));
  const keys = await Promise.all(
    [...pairs].map(async ([alg, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid: alg, alg, use: 'sig' })),
  );
  issuer = createServer((request, response) => {
    const document = request.url?.endsWith('openid-configuration')
      ? { issuer: issuerUrl, jwks_uri: `${issuerUrl}/keys` }
      : { keys };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  await new Promise<void>((done) => issuer.listen(0, '127.0.0.1', done));
  issuerUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
}

interface Token {
  readonly algorithm?: Algorithm;
  readonly subject?: string;
  /** Seconds; negative: it expired so long ago. */
  readonly lasts?: number;
}

/** Puts a token of a service account where it is projected: as the kubelet does, by renaming. */
async function project({ algorithm = 'RS256', subject = SUBJECT, lasts = 600 }: Token): Promise<void> {
  const pair = pairs.get(algorithm);
  if (pair === undefined) throw new Error(`no key for ${algorithm}`);
  const now = Math.floor(Date.now() / 1000);
  const claims: JWTPayload = {
    iss: issuerUrl,
    aud: ['s3gw', 'https://kubernetes.default.svc'],
    sub: subject,
    iat: now - 3600,
    nbf: now - 3600,
    exp: now + lasts,
    'kubernetes.io': {
      namespace: 'kubeflow',
      node: { name: 'worker-1', uid: '2b1e' },
      pod: { name: 'train-0', uid: '5c0d' },
      serviceaccount: { name: 'default-editor', uid: '9f3a' },
      warnafter: now + lasts - 7,
    },
  };
  const token = await new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: algorithm }).sign(pair.privateKey);
  writeFileSync(`${tokenFile}.new`, token);
  renameSync(`${tokenFile}.new`, tokenFile);
}

function writeAccounts(): void {
  const subjects = ['system:serviceaccount:kubeflow:*'];
  const account = {
    name: 'lab',
    accountNumber: NUMBER,
    keys: [ROOT],
    identityProviders: [{ issuer: issuerUrl, audiences: ['s3gw'] }],
    users: [{ name: 'catalog', keys: [USER] }],
    roles: [
      { name: 'vending', trust: { users: ['catalog'], externalId: 'wh-1' }, buckets: ['data'], prefix: 'team/' },
      { name: 'pod', trust: { webIdentity: [{ issuer: issuerUrl, subjects }] }, buckets: ['data'], prefix: 'team/' },
    ],
  };
  writeFileSync(join(folder, 'accounts.json'), JSON.stringify({ accounts: [account] }));
}

function writeProfiles(): void {
  writeFileSync(
    join(folder, 'credentials'),
    `[catalog]\naws_access_key_id = ${USER.accessKeyId}\naws_secret_access_key = ${USER.secretAccessKey}\n`,
  );
  const role = `role_arn = arn:aws:iam::${NUMBER}:role/vending\nsource_profile = catalog\nregion = us-east-1\n`;
  writeFileSync(
    join(folder, 'config'),
    `[profile vending]\n${role}external_id = wh-1\nrole_session_name = job-7\n[profile stranger]\n${role}`,
  );
}

beforeAll(async () => {
  await startIssuer();
  writeAccounts();
  writeProfiles();
  const accounts = JSON.stringify([join(folder, 'accounts.json')]);
  testbed = await startTestbedWith({ S3GW_ACCOUNTS_FROM: accounts }, '--backend', 'gcs', '--replicas', '2');
  const root = clientOf(0, { credentials: ROOT });
  await root.send(new CreateBucketCommand({ Bucket: 'data' }));
  await root.send(new PutObjectCommand({ Bucket: 'data', Key: 'secret/b', Body: 'b' }));
  root.destroy();
});

afterAll(async () => {
  restore();
  await testbed.stop();
  issuer.closeAllConnections();
  issuer.close();
  rmSync(folder, { recursive: true });
});

/** What the machine that runs the tests says of credentials counts for nothing. */
function restore(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AWS_')) Reflect.deleteProperty(process.env, name);
  }
  for (const [name, value] of Object.entries(environment)) process.env[name] = value;
}

beforeEach(() => {
  restore();
  for (const name of Object.keys(environment)) {
    if (name.startsWith('AWS_')) Reflect.deleteProperty(process.env, name);
  }
  Object.assign(process.env, {
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_STS: endpoint(0),
  });
});

function endpoint(replica: number): string {
  return testbed.bed.endpoints[replica] ?? '';
}

function clientOf(replica: number, options: object = {}): S3Client {
  return new S3Client({
    endpoint: endpoint(replica),
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    ...options,
  });
}

async function read(s3: S3Client, Key: string): Promise<string | undefined> {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'data', Key }));
  return Body?.transformToString();
}

/** A session that may use `data/team/` and nothing else, whichever replica it comes to. */
async function expectTeamOnly(session: S3Client[]): Promise<void> {
  const Bucket = 'data';
  const Key = `team/${randomBytes(4).toString('hex')}`;
  const [writer, reader] = session;
  if (writer === undefined || reader === undefined) throw new Error('two clients are needed');
  await writer.send(new PutObjectCommand({ Bucket, Key, Body: 'x', ACL: 'private' }));
  expect(await read(reader, Key)).toBe('x');
  const listed = await reader.send(new ListObjectsV2Command({ Bucket, Prefix: 'team/' }));
  expect(listed.Contents?.map((one) => one.Key)).toContain(Key);
  for (const s3 of session) {
    const denied = { name: 'AccessDenied' };
    await expect(read(s3, 'secret/b')).rejects.toMatchObject(denied);
    await expect(s3.send(new PutObjectCommand({ Bucket, Key: 'secret/c', Body: 'x' }))).rejects.toMatchObject(denied);
    await expect(s3.send(new ListObjectsV2Command({ Bucket }))).rejects.toMatchObject(denied);
    const open = new PutObjectCommand({ Bucket, Key, Body: 'x', ACL: 'public-read' });
    await expect(s3.send(open)).rejects.toMatchObject(denied);
  }
}

describe('a profile with a role (`role_arn`, `source_profile`)', () => {
  it('gets a session of the role, which every replica takes and holds to its prefix', async () => {
    process.env['AWS_PROFILE'] = 'vending';
    await expectTeamOnly([clientOf(0), clientOf(1)]);
  });

  it('uploads in parts and presigns with it', async () => {
    process.env['AWS_PROFILE'] = 'vending';
    const s3 = clientOf(1);
    const Body = randomBytes(12 * 1024 * 1024);
    const target = { Bucket: 'data', Key: 'team/large' };
    await new Upload({ client: s3, params: { ...target, Body }, partSize: 5 * 1024 * 1024 }).done();
    const answer = await fetch(await getSignedUrl(clientOf(0), new GetObjectCommand(target), { expiresIn: 60 }));
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(Body)).toBe(true);
  });

  it('is refused without the external id', async () => {
    process.env['AWS_PROFILE'] = 'stranger';
    await expect(read(clientOf(0), 'team/large')).rejects.toMatchObject({
      name: 'AccessDenied',
      message: expect.stringContaining('is not authorized to perform: sts:AssumeRole') as string,
    });
  });
});

describe('a projected token (`AWS_WEB_IDENTITY_TOKEN_FILE`)', () => {
  beforeEach(() => {
    process.env['AWS_ROLE_ARN'] = `arn:aws:iam::${NUMBER}:role/pod`;
    process.env['AWS_WEB_IDENTITY_TOKEN_FILE'] = tokenFile;
  });

  it.each(ALGORITHMS)('signed by %s gets a session of the role', async (algorithm) => {
    await project({ algorithm });
    await expectTeamOnly([clientOf(1), clientOf(0)]);
  });

  it('is read again when it was renewed while the program runs', async () => {
    await project({});
    const s3 = clientOf(0);
    const identity = s3.config.credentials;
    const first = await identity();
    await expectTeamOnly([s3, clientOf(1)]);
    await project({ algorithm: 'ES256' });
    const renewed = await identity({ forceRefresh: true });
    expect(renewed.accessKeyId).not.toBe(first.accessKeyId);
    await project({ lasts: -120 });
    await expect(identity({ forceRefresh: true })).rejects.toMatchObject({ name: 'ExpiredTokenException' });
    await project({});
    expect((await identity({ forceRefresh: true })).sessionToken).not.toBe(renewed.sessionToken);
    await expectTeamOnly([s3, clientOf(1)]);
  });

  it('of another service account is refused', async () => {
    await project({ subject: 'system:serviceaccount:kubeflow-other:default-editor' });
    await expect(read(clientOf(0), 'team/large')).rejects.toMatchObject({ name: 'AccessDenied' });
  });
});
