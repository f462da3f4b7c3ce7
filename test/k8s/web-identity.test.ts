import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findBoto3 } from '../support/clients/boto3.ts';
import { ACCESS_KEY, SECRET_KEY } from '../support/clients/sign-raw.ts';
import { portOf, startCommand, type Started, testAccount } from '../support/gateway/start-command.ts';
import { Cluster } from './cluster.ts';

/*
 * Pods with projected tokens: a real API server makes them, and the gateway asks it for its keys, as a service account
 * that may see these and nothing else.
 */
const ISSUER = 'https://kubernetes.default.svc';
const ROLE = 'arn:aws:iam::123456789012:role/training';
const { start, configFile, folder } = startCommand({ keep: true });
const tokenFile = join(folder, 'projected-token');
const environment = { ...process.env };

let cluster: Cluster;
let started: Started;
let endpoint = '';

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, output } = await cluster.kubectl(...args);
  if (code !== 0) throw new Error(output);
  return output.trim();
}

/** As the kubelet would. */
async function project(account: string, audience = 's3gw'): Promise<void> {
  writeFileSync(tokenFile, await kubectl('create', 'token', account, '--audience', audience));
}

async function startGateway(): Promise<void> {
  started = start(['--config', configFile('web-identity.yaml', settings())]);
  endpoint = `http://127.0.0.1:${String(await portOf(started))}`;
  const credentials = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY };
  const root = clientOf({ credentials });
  for (const Bucket of ['training', 'other']) await root.send(new CreateBucketCommand({ Bucket }));
}

function settings(): object {
  const { server, caFile } = cluster.api;
  const provider = { issuer: ISSUER, audiences: ['s3gw'], jwksUri: `${server}/openid/v1/jwks`, caFile };
  const webIdentity = [{ issuer: ISSUER, subjects: ['system:serviceaccount:default:runner'] }];
  const account = {
    ...testAccount(),
    identityProviders: [{ ...provider, tokenFile: 'own-token' }],
    roles: [{ name: 'training', trust: { webIdentity }, buckets: ['training'] }],
  };
  return { accounts: [account], sts: { keys: ['sealing-secret-for-tests-only-0000000000'] } };
}

beforeAll(async () => {
  cluster = await Cluster.start();
  for (const account of ['gateway', 'runner', 'stranger']) await kubectl('create', 'serviceaccount', account);
  const binding = ['--clusterrole=system:service-account-issuer-discovery', '--serviceaccount=default:gateway'];
  await kubectl('create', 'clusterrolebinding', 'gateway-keys', ...binding);
  writeFileSync(join(folder, 'own-token'), await kubectl('create', 'token', 'gateway'), { mode: 0o600 });
  await startGateway();
});

afterAll(async () => {
  restore();
  started.child.kill('SIGTERM');
  started.child.kill('SIGTERM');
  await started.ended();
  await cluster.stop();
});

function restore(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AWS_')) Reflect.deleteProperty(process.env, name);
  }
  for (const [name, value] of Object.entries(environment)) process.env[name] = value;
}

/** What a pod has in its environment. */
const ofPod = (): Readonly<Record<string, string>> => ({
  AWS_ROLE_ARN: ROLE,
  AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
  AWS_ENDPOINT_URL: endpoint,
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
});

beforeEach(() => {
  restore();
  Object.assign(process.env, ofPod());
});

function clientOf(options: object = {}): S3Client {
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1, ...options });
}

async function useAsPod(): Promise<void> {
  const s3 = clientOf();
  await s3.send(new PutObjectCommand({ Bucket: 'training', Key: 'model', Body: 'weights' }));
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'training', Key: 'model' }));
  expect(await Body?.transformToString()).toBe('weights');
  const outside = new PutObjectCommand({ Bucket: 'other', Key: 'model', Body: 'x' });
  await expect(s3.send(outside)).rejects.toMatchObject({ name: 'AccessDenied' });
}

describe("a service account's token (`AWS_WEB_IDENTITY_TOKEN_FILE`)", () => {
  test("gives the SDK a session of the role, which the role's policies limit", async () => {
    await project('runner');
    await useAsPod();
  });

  test('gives boto3 one, too', async ({ skip }) => {
    const python = findBoto3();
    if (python === undefined) return skip('no boto3');
    await project('runner');
    const script = join(import.meta.dirname, 'web-identity.py');
    const { stdout } = await promisify(execFile)(python, [script, 'training'], {
      env: { PATH: process.env['PATH'], ...ofPod() },
    });
    const who = expect.stringMatching(/^arn:aws:sts::123456789012:assumed-role\/training\//) as string;
    expect(JSON.parse(stdout)).toEqual({ who, put: 'done', get: 'weights', outside: 'AccessDenied' });
  });

  test.each([
    ['of another account', 'stranger', 's3gw', 'AccessDenied'],
    ['that was made for something else', 'runner', 'vault', 'InvalidIdentityTokenException'],
    ['that was made for the API server', 'runner', ISSUER, 'InvalidIdentityTokenException'],
  ])('%s is refused', async (_, account, audience, name) => {
    await project(account, audience);
    const request = new GetObjectCommand({ Bucket: 'training', Key: 'model' });
    await expect(clientOf().send(request)).rejects.toMatchObject({ name });
  });

  test('a session outlives the gateway that made it', async () => {
    await project('runner');
    const credentials = await clientOf().config.credentials();
    started.child.kill('SIGTERM');
    started.child.kill('SIGTERM');
    await started.ended();
    await startGateway();
    const s3 = clientOf({ credentials });
    await s3.send(new PutObjectCommand({ Bucket: 'training', Key: 'model', Body: 'x' }));
    const outside = new PutObjectCommand({ Bucket: 'other', Key: 'model', Body: 'x' });
    await expect(s3.send(outside)).rejects.toMatchObject({ name: 'AccessDenied' });
  });
});
