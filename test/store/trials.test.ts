import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { azureStore, createAzureClient, createAzureStore } from '../../adapters/azure/index.ts';
import { type AzuriteProcess, startAzurite, startGcsDouble } from '../../adapters/doubles/index.ts';
import { createGcsClient, createGcsStore, gcsStore } from '../../adapters/gcs/index.ts';
import { enter, leave, newTerritory } from '../../src/main/prove/territory.ts';
import { tryAssumptions } from '../../src/main/prove/trials.ts';
import type { BlobStore } from '../../src/store/blob-store.ts';
import { startAnswerProxy } from '../support/backends/answer-proxy.ts';
import { findGoServer, startGoServer } from '../support/backends/go-servers.ts';
import { AZURITE_DIFFERENCES, differences } from '../support/backends/trial-differences.ts';
import { testCall } from '../support/test-call.ts';

/*
 * The trials of `npm run prove` name what a service does otherwise: over servers whose differences are known, and over
 * a proxy that plants further ones.
 */

type Tried = Parameters<typeof tryAssumptions>[0];

/** Differences that are found through `tried`. `store` reaches the same service, and makes and removes containers. */
async function differencesOf(tried: Tried, store: BlobStore): Promise<string[]> {
  const territory = newTerritory();
  await enter(store, territory, testCall());
  const results = await tryAssumptions(tried, territory, testCall());
  expect((await leave(store, [territory], testCall())).problems).toEqual([]);
  await tried.store.close();
  return differences(results);
}

function throughGcs(endpoint: string): Tried {
  const gcs = createGcsClient({ endpoint, credential: { kind: 'anonymous' }, pinsSources: true });
  return { store: gcsStore(gcs), client: { kind: 'gcs', gcs }, credential: 'anonymous' };
}

/** What is found besides what is known, each counted. */
function beyond(known: readonly string[], found: readonly string[]): string[] {
  const left = [...known];
  return found.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

type Proxy = Awaited<ReturnType<typeof startAnswerProxy>>;
type Planted = readonly (readonly [what: string, change: Proxy['change'], expected: readonly string[]])[];

/** Listings with their entries the other way round. */
const REVERSED: readonly [string, Proxy['change']] = [
  'lists in another order',
  (answer) => {
    const text = answer.body.toString();
    if (text.startsWith('{') && text.includes('"storage#objects"')) {
      const page = JSON.parse(text) as { items?: unknown[] };
      answer.body = Buffer.from(JSON.stringify({ ...page, items: page.items?.toReversed() }));
    } else if (text.includes('<Blobs>')) {
      const blobs = text.match(/<Blob>.*?<\/Blob>/gs) ?? [];
      answer.body = Buffer.from(text.replace(/<Blobs>.*<\/Blobs>/s, `<Blobs>${blobs.toReversed().join('')}</Blobs>`));
    }
  },
];

describe('over Azurite', () => {
  let azurite: AzuriteProcess;
  let store: BlobStore;
  let proxy: Proxy;
  beforeAll(async () => {
    azurite = await startAzurite();
    store = createAzureStore(azurite.storeOptions);
    proxy = await startAnswerProxy(Number(new URL(azurite.endpoint).port));
  });
  afterAll(async () => {
    await store.close();
    await proxy.close();
    await azurite.stop();
  });

  const PLANTED: Planted = [
    ['drops the MD5 of what it stores', ({ headers }) => delete headers['content-md5'], ['A24: none']],
    [...REVERSED, ['A27: not UTF-16', 'A30: c, b']],
    [
      'takes no heed of If-None-Match',
      (answer) => {
        if (answer.headers['x-ms-error-code'] !== 'BlobAlreadyExists') return;
        answer.status = 201;
      },
      ['A2: 201', 'A3: 201'],
    ],
    [
      'answers 412 for 409',
      (answer) => {
        if (answer.headers['x-ms-error-code'] !== 'BlobAlreadyExists') return;
        answer.status = 412;
        answer.headers['x-ms-error-code'] = 'ConditionNotMet';
      },
      ['A2: 412 ConditionNotMet', 'A33: 404 BlobNotFound, 412 ConditionNotMet', 'A3: 412 ConditionNotMet'],
    ],
  ];

  test.each(PLANTED)('names a service that %s', async (_what, change, expected) => {
    proxy.change = change;
    const endpoint = azurite.endpoint.replace(/:\d+/, `:${proxy.port}`);
    const azure = createAzureClient({ ...azurite.storeOptions, endpoint });
    const client = { kind: 'azure', azure } as const;
    const found = await differencesOf({ store: azureStore(azure), client, credential: 'accountKey' }, store);
    expect(beyond(AZURITE_DIFFERENCES, found)).toEqual(expected);
  });
});

describe('over the double of Cloud Storage', () => {
  const PLANTED: Planted = [
    [
      'drops the MD5 of what it stores',
      (answer) => {
        answer.body = Buffer.from(answer.body.toString('latin1').replace('"md5Hash"', '"nothing"'), 'latin1');
      },
      ['G35: none'],
    ],
    [...REVERSED, ['G34: not UTF-8, from \u{1f600} on']],
    [
      'takes no heed of conditions',
      (answer) => {
        if (answer.status === 412) answer.status = 200;
      },
      ['G1: 200', 'G29: 200', 'G27: 200', 'G27: 200'],
    ],
    [
      'answers 409 for 412',
      (answer) => {
        if (answer.status === 412) answer.status = 409;
      },
      [
        'G1: 409 conditionNotMet',
        'G29: 409 conditionNotMet',
        'G27: 409 PreconditionFailed',
        'G27: 409 PreconditionFailed',
      ],
    ],
  ];

  test.each(PLANTED)('names a service that %s', async (_what, change, expected) => {
    const double = await startGcsDouble();
    const proxy = await startAnswerProxy(Number(new URL(double.endpoint).port));
    proxy.change = change;
    const store = createGcsStore({ endpoint: double.endpoint, credential: { kind: 'anonymous' } });
    expect(await differencesOf(throughGcs(`http://127.0.0.1:${proxy.port}`), store)).toEqual(expected);
    await store.close();
    await proxy.close();
    await double.stop();
  });
});

const binary = await findGoServer('fake-gcs-server');

test.skipIf(binary === undefined)('over fake-gcs-server', async () => {
  const { endpoint, stop } = await startGoServer('fake-gcs-server', binary ?? '');
  const store = createGcsStore({ endpoint, credential: { kind: 'anonymous' } });
  expect(await differencesOf(throughGcs(endpoint), store)).toEqual([
    'G1: 404',
    'G27: 200',
    'G27: 200',
    'G30: 200',
    'G33: 200',
    'G3: 200',
    'G22: ',
    'G25: unpacked',
    'G24: another one',
    expect.stringMatching(/^G31: kind, name, /),
    'G32: removed, removed, notFound',
  ]);
  await store.close();
  await stop();
});
