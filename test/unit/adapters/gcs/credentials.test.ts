import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCredentials } from '../../../../adapters/gcs/credentials.ts';
import { createGcsStore } from '../../../../adapters/gcs/index.ts';
import { isStoreError } from '../../../../src/store/store-error.ts';

let server: Server;
let origin: string;
let folder: string;
let asked: { url: string; body: string }[];
let reply: (request: IncomingMessage) => { status: number; body: object };

beforeEach(async () => {
  asked = [];
  reply = () => ({
    status: 200,
    body: { access_token: `token-${asked.length}`, expires_in: 3600, token_type: 'Bearer' },
  });
  server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push({ url: request.url ?? '', body });
      const { status, body: answered } = reply(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = mkdtempSync(join(tmpdir(), 's3gw-gcs-'));
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Workload identity federation whose token service is ours. */
function federation(): string {
  const file = join(folder, 'subject-token');
  writeFileSync(file, 'token-of-the-cluster');
  return JSON.stringify({
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${origin}/v1/token`,
    credential_source: { file },
  });
}

describe('workload identity', () => {
  test('exchanges the token of a file, once for all who ask', async () => {
    const credentials = createCredentials({ credential: { kind: 'workloadIdentity', configuration: federation() } });
    expect(await Promise.all([credentials.authorization(), credentials.authorization()])).toEqual([
      'Bearer token-1',
      'Bearer token-1',
    ]);
    expect(credentials.authorization()).toBe('Bearer token-1');
    expect(asked).toHaveLength(1);
    expect(new URLSearchParams(asked[0]?.body).get('subject_token')).toBe('token-of-the-cluster');
    expect(new URLSearchParams(asked[0]?.body).get('scope')).toContain('devstorage');
  });

  test('a token service that says no: denied', async () => {
    reply = () => ({ status: 400, body: { error: 'invalid_grant', error_description: 'no such pool' } });
    const credentials = createCredentials({ credential: { kind: 'workloadIdentity', configuration: federation() } });
    await expect(credentials.authorization()).rejects.toSatisfy((error: unknown) => isStoreError(error, 'denied'));
  });

  test('a token service that is not there: unavailable', async () => {
    const configuration = federation();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const credentials = createCredentials({ credential: { kind: 'workloadIdentity', configuration } });
    await expect(credentials.authorization()).rejects.toSatisfy((error: unknown) => isStoreError(error, 'unavailable'));
    server.listen(0, '127.0.0.1');
  }, 60_000);
});

describe('service account keys', () => {
  test('name their project', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const key = JSON.stringify({
      type: 'service_account',
      project_id: 'the-project',
      client_email: 'x@the-project.iam.gserviceaccount.com',
      private_key: privateKey,
    });
    const credentials = createCredentials({ credential: { kind: 'serviceAccountKey', key } });
    expect(await credentials.projectId()).toBe('the-project');
    expect(
      await createCredentials({ credential: { kind: 'serviceAccountKey', key }, projectId: 'another' }).projectId(),
    ).toBe('another');
  });

  test.each([['not json'], ['"text"'], ['{}'], ['{"type":"authorized_user"}']])(
    '%s is no key, and is not quoted',
    (key) => {
      const refused = (): unknown => createCredentials({ credential: { kind: 'serviceAccountKey', key } });
      expect(refused).toThrow(/^serviceAccountKey: /);
      try {
        refused();
      } catch (error) {
        expect(String(error)).not.toContain(key === '{}' ? 'nothing' : key);
      }
    },
  );
});

describe('others', () => {
  test('a token without a project can do everything but make and list buckets', async () => {
    const credentials = createCredentials({
      credential: {
        kind: 'token',
        getToken: async () => ({ token: 'mine', expiresOnTimestamp: Date.now() + 3_600_000 }),
      },
    });
    expect(await credentials.authorization()).toBe('Bearer mine');
    await expect(credentials.projectId()).rejects.toSatisfy((error: unknown) => isStoreError(error, 'denied'));
  });

  test('nobody has no proof, and needs an endpoint', async () => {
    expect(createCredentials({ credential: { kind: 'anonymous' } }).authorization()).toBeUndefined();
    expect(() => createGcsStore({ credential: { kind: 'anonymous' } })).toThrow('name its endpoint');
    const token = { kind: 'token', getToken: async () => ({ token: 'x', expiresOnTimestamp: 0 }) } as const;
    expect(() => createGcsStore({ credential: token, endpoint: 'http://127.0.0.1:1' })).toThrow('https only');
    expect(() => createGcsStore({ credential: { kind: 'anonymous' }, endpoint: 'http://127.0.0.1:1/path' })).toThrow(
      'only scheme, host and port',
    );
  });
});
