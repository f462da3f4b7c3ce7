import {
  GetObjectAclCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Cause, Certainty } from '../../../../src/admin/diagnosis/diagnosis.ts';
import { startAlteringProxy, type Alter, type AlteringProxy } from '../../../support/backends/altering-proxy.ts';
import { roundTrip } from '../../../support/clients/raw-http.ts';
import type { RawRequestOptions } from '../../../support/clients/sign-raw.ts';
import { SECRETS, startJudgingServer, type JudgingServer } from './judging-server.ts';

export const ACCESS_KEY = 'AKIAIOSFODNN7EXAMPLE';
export const SECRET = SECRETS[ACCESS_KEY] ?? '';

export let server: JudgingServer;
export let proxy: AlteringProxy;

/** To be called once by each file of tests: a server that judges signatures, behind a proxy that alters requests. */
export function openScene(): void {
  beforeAll(async () => {
    server = await startJudgingServer();
    proxy = await startAlteringProxy(server.port);
  });
  afterAll(async () => {
    await proxy.close();
    await server.close();
  });
}

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

export async function sendBySdk({ send }: Command, changes: S3ClientConfig = {}): Promise<void> {
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

export async function sendPresigned(
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

export async function sendRaw(make: (options: RawRequestOptions) => string, options: RawRequestOptions): Promise<void> {
  await roundTrip(
    proxy.port,
    make({ host: `localhost:${proxy.port}`, accessKey: ACCESS_KEY, secretKey: SECRET, ...options }),
  );
}

/** Each of them goes through untouched before it is altered. */
export async function expectCause(
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
export async function expectFault(
  send: () => Promise<void>,
  cause: Cause,
  certainty: Certainty = 'proved',
): Promise<void> {
  proxy.alter = (head) => head;
  await send();
  expect(server.last?.diagnosis.hints[0]).toMatchObject({ cause, certainty });
}

export function put(): Command {
  const command = (): PutObjectCommand =>
    new PutObjectCommand({ Bucket: 'bucket', Key: 'notes/a b+c.txt', Body: 'x', ContentType: 'text/plain' });
  return { send: (s3) => s3.send(command()), url: (s3, options) => getSignedUrl(s3, command(), options) };
}

export function get(Key = 'notes/a b+c.txt'): Command {
  const command = (): GetObjectCommand => new GetObjectCommand({ Bucket: 'bucket', Key });
  return { send: (s3) => s3.send(command()), url: (s3, options) => getSignedUrl(s3, command(), options) };
}

export function acl(): Command {
  const command = (): GetObjectAclCommand => new GetObjectAclCommand({ Bucket: 'bucket', Key: 'k' });
  return { send: (s3) => s3.send(command()), url: (s3, options) => getSignedUrl(s3, command(), options) };
}

export function list(): Command {
  const command = (): ListObjectsV2Command => new ListObjectsV2Command({ Bucket: 'bucket', Prefix: 'a b' });
  return { send: (s3) => s3.send(command()), url: (s3, options) => getSignedUrl(s3, command(), options) };
}
