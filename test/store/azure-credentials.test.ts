import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  ContainerSASPermissions,
  StorageSharedKeyCredential,
  generateAccountSASQueryParameters,
  generateBlobSASQueryParameters,
} from '@azure/storage-blob';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY } from '../../adapters/azure/credentials.ts';
import { createAzureStore } from '../../adapters/azure/index.ts';
import { type AzuriteProcess, startAzurite } from '../../adapters/doubles/index.ts';
import type { AzureCredential, AzureStoreOptions } from '../../adapters/azure/index.ts';
import type { BlobStore, CopySource } from '../../src/store/blob-store.ts';
import { freshContainer, startSecureAzurite } from '../support/backends/azurite.ts';
import type { SecureAzurite } from '../support/backends/azurite.ts';
import { startAuthority, startIdentityEndpoint, unsignedToken } from '../support/backends/entra.ts';
import { testCall } from '../support/test-call.ts';

let plain: AzuriteProcess;
let secure: SecureAzurite;

beforeAll(async () => {
  [plain, secure] = await Promise.all([startAzurite(), startSecureAzurite()]);
});

afterAll(async () => {
  await Promise.all([plain.stop(), secure.stop()]);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

type Step = (store: BlobStore, container: string, source: CopySource) => Promise<void>;

/** All that is authorised in a way of its own: plain calls, streams, copies by either kind of source URL. */
const STEPS: readonly Step[] = [readAndList, stageAndAssemble, copyInOneCall, stageFromSource, removeSeveral];

async function exercise(options: AzureStoreOptions, steps: readonly Step[] = STEPS): Promise<void> {
  const store = createAzureStore(options);
  const call = testCall();
  const container = freshContainer();
  try {
    await store.ping(call);
    await store.createContainer(container, {}, call);
    await exerciseContainer(store, container, steps);
    await store.removeContainer(container, call);
  } finally {
    await store.close();
  }
}

async function exerciseContainer(store: BlobStore, container: string, steps: readonly Step[]): Promise<void> {
  const ref = { container, name: 'dir/ä name+%2F' };
  const body = { size: 6, stream: Readable.from([Buffer.from('sou'), Buffer.from('rce')]) };
  const { revision } = await store.write(ref, body, { metadata: { a: '1' } }, testCall());
  for (const step of steps) await step(store, container, { ...ref, revision });
}

async function readAndList(store: BlobStore, container: string, source: CopySource): Promise<void> {
  const { body } = await store.read(source, { range: { first: 1, last: 3 } }, testCall());
  expect((await buffer(body.stream())).toString()).toBe('our');
  const page = await store.list(container, { limit: 10, delimiter: '/' }, testCall());
  expect(page.entries.map((entry) => entry.name)).toEqual(['dir/']);
}

async function stageAndAssemble(store: BlobStore, container: string): Promise<void> {
  const staging = { container, name: 'staging' };
  const { tokens } = await store.stagePart(staging, Buffer.from('part'), {}, testCall());
  await store.assemble(staging, { tokens, metadata: { b: '2' } }, testCall());
  expect(await textOf(store, container, 'staging')).toBe('part');
}

async function copyInOneCall(store: BlobStore, container: string, source: CopySource): Promise<void> {
  await store.copy(
    { container, name: 'in-one' },
    { source, size: 6, headers: {}, metadata: { c: '3' }, sameHeaders: true },
    testCall(),
  );
  expect(await textOf(store, container, 'in-one')).toBe('source');
}

async function stageFromSource(store: BlobStore, container: string, source: CopySource): Promise<void> {
  const staging = { container, name: 'staging-from' };
  const { tokens } = await store.stagePartFrom(staging, source, { first: 0, last: 3 }, testCall());
  await store.assemble(staging, { tokens, metadata: {} }, testCall());
  expect(await textOf(store, container, 'staging-from')).toBe('sour');
}

async function removeSeveral(store: BlobStore, container: string, { name, revision }: CopySource): Promise<void> {
  const call = testCall();
  const items = [{ name: 'staging' }, { name: 'never' }, { name, revision }, { name: 'in-one', revision }];
  const outcomes = await store.removeMany(container, items, call);
  expect(outcomes.slice(0, 3)).toEqual(['removed', 'notFound', 'removed']);
  // Whether it was copied depends on what is exercised; the revision is of another blob.
  expect(['notFound', 'conditionFailed']).toContain(outcomes[3]);
  // Each call of a batch is authorised by itself.
  expect(call.facts.backendCalls).toBe(1);
}

async function textOf(store: BlobStore, container: string, name: string): Promise<string> {
  const { body } = await store.read({ container, name }, {}, testCall());
  return (await buffer(body.stream())).toString();
}

const developmentCredential = new StorageSharedKeyCredential(DEVELOPMENT_ACCOUNT, DEVELOPMENT_KEY);

function containerSas(containerName: string, permissions: string): string {
  const values = {
    containerName,
    permissions: ContainerSASPermissions.parse(permissions),
    expiresOn: new Date(Date.now() + 3_600_000),
    version: '2026-02-06',
  };
  return generateBlobSASQueryParameters(values, developmentCredential).toString();
}

function accountSas(permissions: string): string {
  const values = {
    services: AccountSASServices.parse('b').toString(),
    resourceTypes: AccountSASResourceTypes.parse('sco').toString(),
    permissions: AccountSASPermissions.parse(permissions),
    expiresOn: new Date(Date.now() + 3_600_000),
    version: '2026-02-06',
  };
  return generateAccountSASQueryParameters(values, developmentCredential).toString();
}

describe('over http', () => {
  test('account key in a connection string', async () => {
    const connectionString = `DefaultEndpointsProtocol=http;AccountName=${DEVELOPMENT_ACCOUNT};AccountKey=${DEVELOPMENT_KEY};BlobEndpoint=${plain.endpoint};`;
    await exercise({ credential: { kind: 'connectionString', connectionString } });
  });

  // The emulator has no rule for Put Block From URL under an account SAS and answers 500; a container's SAS stands in.
  const withoutBlocksFromUrl = STEPS.filter((step) => step !== stageFromSource);

  test('account SAS alone, with the permissions that the manual names', async () => {
    await exercise(
      { endpoint: plain.endpoint, credential: { kind: 'sas', token: `?${accountSas('rwdlc')}` } },
      withoutBlocksFromUrl,
    );
  });

  test('SAS of one container', async () => {
    const container = freshContainer();
    const owner = createAzureStore(plain.storeOptions);
    await owner.createContainer(container, {}, testCall());
    const store = createAzureStore({
      endpoint: plain.endpoint,
      credential: { kind: 'sas', token: containerSas(container, 'rcwdl') },
    });
    await exerciseContainer(store, container, STEPS);
    await Promise.all([store.close(), owner.close()]);
  });

  test('account SAS in a connection string', async () => {
    const connectionString = `BlobEndpoint=${plain.endpoint};SharedAccessSignature=${accountSas('rwdlc')}`;
    await exercise({ credential: { kind: 'connectionString', connectionString } }, withoutBlocksFromUrl);
  });

  test('a SAS that lacks a permission is denied', async () => {
    const store = createAzureStore({ endpoint: plain.endpoint, credential: { kind: 'sas', token: accountSas('rl') } });
    await expect(store.createContainer(freshContainer(), {}, testCall())).rejects.toMatchObject({ kind: 'denied' });
    await store.close();
  });

  test('a wrong account key is denied', async () => {
    const store = createAzureStore({
      endpoint: plain.endpoint,
      credential: { kind: 'accountKey', key: Buffer.from('wrong').toString('base64') },
    });
    await expect(store.ping(testCall())).rejects.toMatchObject({ kind: 'denied' });
    await store.close();
  });

  test('tokens are refused', () => {
    const credential: AzureCredential = { kind: 'token', credential: { getToken: async () => null } };
    expect(() => createAzureStore({ endpoint: plain.endpoint, credential })).toThrow('https');
  });
});

describe('over https', () => {
  test('account key', async () => {
    await exercise(secure.storeOptions);
  });

  test('without the authority that issued the certificate nothing is sent', async () => {
    const store = createAzureStore({ ...plain.storeOptions, endpoint: secure.endpoint, retries: { attempts: 1 } });
    await expect(store.ping(testCall())).rejects.toMatchObject({ kind: 'unavailable' });
    await store.close();
  });

  let asked = 0;
  const getToken = async (): Promise<{ token: string; expiresOnTimestamp: number }> => {
    asked += 1;
    return { token: unsignedToken(), expiresOnTimestamp: Date.now() + 3_600_000 };
  };

  test('token: one for many calls; copies are signed with a user delegation key', async () => {
    asked = 0;
    await exercise({
      endpoint: secure.endpoint,
      ca: secure.ca,
      credential: { kind: 'token', credential: { getToken } },
    });
    expect(asked).toBe(1);
  });

  test('one delegation key serves all copies; who asked for it may hang up', async () => {
    const store = createAzureStore({
      endpoint: secure.endpoint,
      ca: secure.ca,
      credential: { kind: 'token', credential: { getToken } },
    });
    const container = freshContainer();
    await store.createContainer(container, {}, testCall());
    const { revision } = await store.write(
      { container, name: 'source' },
      Buffer.from('source'),
      { metadata: {} },
      testCall(),
    );
    const source = { container, name: 'source', revision };
    const stop = new AbortController();
    const [impatient, patient] = [testCall(stop.signal), testCall()];
    const range = { first: 0, last: 5 };
    const given = store
      .stagePartFrom({ container, name: 'a' }, source, range, impatient)
      .catch((error: unknown) => error);
    const taken = store.stagePartFrom({ container, name: 'b' }, source, range, patient);
    stop.abort();
    expect(await given).toMatchObject({ kind: 'aborted' });
    expect((await taken).tokens).toHaveLength(1);
    await store.stagePartFrom({ container, name: 'b' }, source, range, patient);
    expect(patient.facts.backendCalls + impatient.facts.backendCalls).toBe(1 + 2);
    await store.removeContainer(container, testCall());
    await store.close();
  });

  test('a credential that gives no token is unavailable, one that is refused is denied', async () => {
    const failing = (error: Error): AzureCredential => ({
      kind: 'token',
      credential: { getToken: () => Promise.reject(error) },
    });
    const refused = Object.assign(new Error('no'), { name: 'AuthenticationError' });
    for (const [error, kind] of [
      [refused, 'denied'],
      [new Error('down'), 'unavailable'],
    ] as const) {
      const store = createAzureStore({
        endpoint: secure.endpoint,
        ca: secure.ca,
        credential: failing(error),
        retries: { baseDelay: 1 },
      });
      await expect(store.ping(testCall())).rejects.toMatchObject({
        kind,
        detail: { call: 'credential', cause: error },
      });
      await store.close();
    }
  });
});

describe('through @azure/identity', () => {
  test('managed identity', async () => {
    const identity = await startIdentityEndpoint();
    vi.stubEnv('IDENTITY_ENDPOINT', `${identity.url}/msi/token`);
    vi.stubEnv('IDENTITY_HEADER', 'secret-of-the-platform');
    await exercise({ endpoint: secure.endpoint, ca: secure.ca, credential: { kind: 'managedIdentity' } });
    expect(identity.requests).toHaveLength(1);
    expect(identity.requests[0]).toMatchObject({ header: 'secret-of-the-platform' });
    expect(identity.requests[0]?.path).toContain(encodeURIComponent('https://storage.azure.com'));
    await identity.stop();
  });

  test('workload identity, against an authority of our own', async () => {
    const authority = await startAuthority();
    await exercise({
      endpoint: secure.endpoint,
      ca: `${secure.ca}\n${authority.ca}`,
      credential: {
        kind: 'workloadIdentity',
        clientId: 'gateway-client',
        tenantId: authority.tenantId,
        tokenFile: authority.tokenFile,
        authorityHost: authority.url,
        validateAuthority: false,
      },
    });
    const asked = authority.requests.filter((request) => request.path.includes('/token'));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toContain('client_assertion=federated-token-of-a-service-account');
    expect(asked[0]?.body).toContain(encodeURIComponent('https://storage.azure.com/.default'));
    await authority.stop();
  });

  test('client secret, and the default chain finding it in the environment', async () => {
    const authority = await startAuthority();
    const shared = { endpoint: secure.endpoint, ca: `${secure.ca}\n${authority.ca}` };
    const options = { authorityHost: authority.url, validateAuthority: false, tenantId: authority.tenantId };
    await exercise({
      ...shared,
      credential: { kind: 'clientSecret', clientId: 'gateway-client', clientSecret: 'secret', ...options },
    });
    vi.stubEnv('AZURE_TENANT_ID', authority.tenantId);
    vi.stubEnv('AZURE_CLIENT_ID', 'client-of-the-environment');
    vi.stubEnv('AZURE_CLIENT_SECRET', 'secret');
    await exercise({ ...shared, credential: { kind: 'default', ...options } });
    const clients = authority.requests
      .filter((request) => request.path.includes('/token'))
      .map((request) => new URLSearchParams(request.body).get('client_id'));
    expect(clients).toEqual(['gateway-client', 'client-of-the-environment']);
    await authority.stop();
  });
});
