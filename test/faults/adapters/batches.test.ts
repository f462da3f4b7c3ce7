import { afterEach, describe, expect, test } from 'vitest';
import { CallFacts, type Denial } from '../../../src/observe/call-facts.ts';
import { BackendCalls } from '../../../src/observe/call-watch.ts';
import type { BlobStore, Revision } from '../../../src/store/blob-store.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import { testCall } from '../../support/test-call.ts';
import { serve as serveAzure } from '../../unit/adapters/azure/scripted-service.ts';
import { serve as serveGcs, tooFast } from '../../unit/adapters/gcs/scripted-service.ts';
import { type ScriptedPeer, type Turn, answer, cutAnswer, reset, silence } from '../../unit/adapters/scripted-peer.ts';

/*
 * What may go wrong with a batch of removals: the service has none, refuses it, does half of it, answers half of it, or
 * is not heard of again; and then what may go wrong with the calls that follow.
 */

type Service = ScriptedPeer & { readonly store: BlobStore; stop(): Promise<void> };

/** Status line and headers of an answer inside a batch, and its body. */
type Part = readonly [id: number, status: string, headers?: string, body?: string];

interface Cloud {
  readonly system: string;
  readonly serve: (turns: readonly Turn[]) => Promise<Service>;
  readonly status: string;
  readonly most: number;
  readonly idOf: (id: number) => string;
  readonly done: string;
  readonly unmet: readonly [status: string, headers: string, body: string];
  readonly gone: readonly [status: string, headers: string, body: string];
  /** By the cloud's own retention. */
  readonly held: readonly [status: string, headers: string, body: string];
}

function gcsError(code: number, reason: string, message = reason): string {
  return JSON.stringify({ error: { code, message, errors: [{ reason, message }] } });
}

const CLOUDS: Readonly<Record<string, Cloud>> = {
  azure: {
    system: 'azure',
    serve: (turns) => serveAzure('usual', turns, { timeouts: { response: 200 } }),
    status: '202 Accepted',
    most: 256,
    idOf: String,
    done: '202 Accepted',
    unmet: ['412 Unmet', 'x-ms-error-code: ConditionNotMet\r\n', ''],
    gone: ['404 Gone', 'x-ms-error-code: BlobNotFound\r\n', '<?xml version="1.0"?><Error/>'],
    held: ['409 Held', 'x-ms-error-code: BlobImmutableDueToPolicy\r\n', ''],
  },
  gcs: {
    system: 'gcs',
    serve: (turns) => serveGcs(turns, { timeouts: { response: 200 } }),
    status: '200 OK',
    most: 100,
    idOf: (id) => `<response-${id}>`,
    done: '204 No Content',
    unmet: ['412 Unmet', 'Content-Type: application/json\r\n', gcsError(412, 'conditionNotMet')],
    gone: ['404 Gone', 'Content-Type: application/json\r\n', gcsError(404, 'notFound')],
    held: [
      '403 Held',
      'Content-Type: application/json\r\n',
      gcsError(403, 'forbidden', "Object 'b/o' is subject to bucket's retention policy and cannot be deleted."),
    ],
  },
};

const running: Service[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

describe.each(Object.entries(CLOUDS))('batches of removals: %s', (_, cloud) => {
  const start = async (...turns: Turn[]): Promise<Service> => {
    const service = await cloud.serve(turns);
    running.push(service);
    return service;
  };
  const bodyOf = (parts: readonly Part[]): string =>
    parts
      .map(
        ([id, status, headers = '', body = '']) =>
          `--b_1\r\nContent-Type: application/http\r\nContent-ID: ${cloud.idOf(id)}\r\n\r\nHTTP/1.1 ${status}\r\n${headers}\r\n${body}\r\n`,
      )
      .join('') + '--b_1--\r\n';
  const TYPE = 'Content-Type: multipart/mixed; boundary=b_1\r\n';
  const batch = (...parts: Part[]): Turn => answer(cloud.status, TYPE, bodyOf(parts));
  const done = answer(cloud.done);
  const single = ([status, headers, body]: Cloud['gone']): Turn => answer(status, headers, body);

  const removal = async ({ store }: Service, count: number): Promise<unknown[]> => {
    const items = Array.from({ length: count }, (__, n) => ({
      name: `parts/${n}`,
      ...(n === 0 && { revision: '"1.1"' as Revision }),
    }));
    const outcomes = await store.removeMany('bucket', items, testCall());
    return outcomes.map((outcome) =>
      isStoreError(outcome) ? `${outcome.kind}${outcome.lost ? ' lost' : ''}` : outcome,
    );
  };
  const methods = ({ requests }: Service): string[] => requests.map((request) => request.split(' ', 1)[0] ?? '');

  test('an outcome for each call, in whatever order the service answers', async () => {
    const service = await start(
      batch([2, ...cloud.gone], [0, ...cloud.unmet], [1, cloud.done], [3, '403 No', 'x-ms-error-code: x\r\n']),
    );
    expect(await removal(service, 4)).toEqual(['conditionFailed', 'removed', 'notFound', 'denied']);
    expect(methods(service)).toEqual(['POST']);
  });

  test('what is denied of a batch is told to the operator, though the batch is taken', async () => {
    const service = await start(batch([0, cloud.done], [1, ...cloud.held], [2, ...cloud.held]));
    const told: Denial[] = [];
    const calls = new BackendCalls();
    calls.onDenial((denial) => told.push(denial));
    const call = { ...testCall(), facts: new CallFacts(undefined, calls) };
    const items = ['a', 'b', 'c'].map((name) => ({ name }));
    expect(await service.store.removeMany('bucket', items, call)).toMatchObject(['removed', {}, {}]);
    const [status, headers] = cloud.held;
    const code = /x-ms-error-code: (\w+)/.exec(headers)?.[1] ?? 'retentionPolicyNotMet';
    const denial = { system: cloud.system, operation: 'removeMany', status: Number(status.slice(0, 3)), code };
    expect(told).toMatchObject([denial, denial]);
  });

  test('a call that is not answered is lost; the others count', async () => {
    const service = await start(batch([0, cloud.done], [2, cloud.done]));
    expect(await removal(service, 3)).toEqual(['removed', 'unavailable lost', 'removed']);
    expect(methods(service)).toEqual(['POST']);
  });

  test.each<[string, Turn]>([
    ['a reset', reset],
    ['silence', silence],
    ['an answer that breaks off', cutAnswer('202 Accepted', { headers: TYPE, body: 'x'.repeat(100), after: 10 })],
  ])('%s: lost, each of them, and not sent again; the next batch is sent', async (__, turn) => {
    const service = await start(turn, batch([0, cloud.done], [1, ...cloud.gone]));
    expect(await removal(service, 2)).toEqual(['unavailable lost', 'unavailable lost']);
    expect(await removal(service, 2)).toEqual(['removed', 'notFound']);
    expect(methods(service)).toEqual(['POST', 'POST']);
  });

  test.each<[string, readonly Part[]]>([
    [
      'two answers of which each says another thing',
      [
        [0, cloud.done],
        [1, ...cloud.gone],
        [0, ...cloud.unmet],
        [1, cloud.done],
      ],
    ],
    [
      'an answer that is not the last',
      [
        [0, '100 Continue'],
        [1, '102 Processing'],
      ],
    ],
    [
      'a status that is none',
      [
        [0, '000 None'],
        [1, '20 Short'],
      ],
    ],
    [
      'an answer to a call that was not made',
      [
        [2, cloud.done],
        [999_999, cloud.done],
      ],
    ],
  ])('%s: lost', async (__, parts) => {
    const service = await start(batch(...parts));
    expect(await removal(service, 2)).toEqual(['unavailable lost', 'unavailable lost']);
    expect(methods(service)).toEqual(['POST']);
  });

  test('two answers that say the same are one', async () => {
    const service = await start(batch([0, cloud.done], [1, ...cloud.gone], [0, cloud.done], [1, ...cloud.gone]));
    expect(await removal(service, 2)).toEqual(['removed', 'notFound']);
  });

  test('an answer that is cut off wherever says nothing that it did not say whole', async () => {
    const whole = bodyOf([
      [1, ...cloud.gone],
      [0, cloud.done],
    ]);
    const seen = new Set<string>();
    for (let end = 0; end < whole.length; end += 7) {
      const service = await start(answer(cloud.status, TYPE, whole.slice(0, end)), done, done);
      const [first, second] = await removal(service, 2);
      seen.add(`${String(first)}, ${String(second)}`);
      await service.stop();
    }
    expect([...seen].filter((told) => told.includes('lost')).length).toBeGreaterThan(1);
    expect(
      [...seen].filter((told) => /^(?!removed|unavailable lost)|, (?!notFound|unavailable lost)/.test(told)),
    ).toEqual([]);
  });

  test('an answer that is none: lost', async () => {
    const service = await start(answer(cloud.status, 'Content-Type: text/html\r\n', '<html>--proxy</html>'));
    expect(await removal(service, 2)).toEqual(['unavailable lost', 'unavailable lost']);
  });

  test.each(['400 Bad', '403 Forbidden', '404 Not Found', '405 Not Allowed', '501 Not Implemented'])(
    '%s to the batch: one by one, and no further batch; a second fault is that of its call',
    async (status) => {
      const service = await start(answer(status), done, single(cloud.gone), done, done, done);
      const outcomes = await removal(service, 3);
      expect(outcomes.toSorted()).toEqual(['notFound', 'removed', 'removed']);
      expect(await removal(service, 2)).toEqual(['removed', 'removed']);
      expect(methods(service)).toEqual(['POST', 'DELETE', 'DELETE', 'DELETE', 'DELETE', 'DELETE']);
    },
  );

  test('one by one, the lost answer of one does not touch the others', async () => {
    const service = await start(answer('501 Not Implemented'), reset, done, done);
    expect((await removal(service, 3)).toSorted()).toEqual(['removed', 'removed', 'unavailable lost']);
  });

  test('a service that failed at a batch is lost, and asked one by one the next time', async () => {
    const service = await start(answer('500 Internal'), done);
    expect(await removal(service, 2)).toEqual(['unavailable lost', 'unavailable lost']);
    expect(await removal(service, 2)).toEqual(['removed', 'removed']);
    expect(methods(service)).toEqual(['POST', 'DELETE', 'DELETE']);
  });

  test('a name that cannot be one stays out of the batch', async () => {
    const service = await start(batch([0, cloud.done], [1, cloud.done]));
    const bad = { name: '\ud800' };
    const outcomes = await service.store.removeMany('bucket', [{ name: 'a' }, bad, { name: 'b' }], testCall());
    expect([outcomes[0], outcomes[2]]).toEqual(['removed', 'removed']);
    expect(outcomes[1]).toMatchObject({ kind: 'invalidName' });
  });

  test('as many as the service takes, and what is left alone one by one', async () => {
    const all = Array.from({ length: cloud.most }, (__, n): Part => [n, cloud.done]);
    const turn: Turn = (socket, request) => (request.startsWith('POST') ? batch(...all) : done)(socket, request);
    const service = await start(turn);
    expect(new Set(await removal(service, 2 * cloud.most + 1))).toEqual(new Set(['removed']));
    expect(methods(service).toSorted()).toEqual(['DELETE', 'POST', 'POST']);
  });
});

test('azure: a batch that is refused by one answer for all goes one by one', async () => {
  const whole = `--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 400 Bad\r\nx-ms-error-code: InvalidInput\r\n\r\n\r\n--b--\r\n`;
  const service = await serveAzure('usual', [answer('202 Accepted', '', whole), answer('202 Accepted')]);
  running.push(service);
  const outcomes = await service.store.removeMany('bucket', [{ name: 'a' }, { name: 'b' }], testCall());
  expect(outcomes).toEqual(['removed', 'removed']);
  expect(service.requests).toHaveLength(3);
});

test('azure: a container that is missing says nothing about batches', async () => {
  const missing = answer('404 Not Found', 'x-ms-error-code: ContainerNotFound\r\n');
  const service = await serveAzure('usual', [missing]);
  running.push(service);
  for (const __ of [1, 2]) {
    const outcomes = await service.store.removeMany('bucket', [{ name: 'a' }, { name: 'b' }], testCall());
    expect(outcomes).toMatchObject([{ kind: 'containerNotFound' }, { kind: 'containerNotFound' }]);
  }
  expect(service.requests.map((request) => request.slice(0, 4))).toEqual(['POST', 'POST']);
});

test('gcs: what was too fast in a batch waits for its turn', async () => {
  const parts = ['429 Too Many Requests', '204 No Content'].map(
    (status, id) =>
      `--b\r\nContent-Type: application/http\r\nContent-ID: <response-${id}>\r\n\r\nHTTP/1.1 ${status}\r\n\r\n\r\n`,
  );
  const turns = [answer('200 OK', '', `${parts.join('')}--b--\r\n`), tooFast, answer('204 No Content')];
  const service = await serveGcs(turns);
  running.push(service);
  const outcomes = await service.store.removeMany('bucket', [{ name: 'a' }, { name: 'b' }], testCall());
  expect(outcomes).toEqual(['removed', 'removed']);
  expect(service.requests.map((request) => request.split(' HTTP', 1)[0])).toEqual([
    'POST /batch/storage/v1',
    'DELETE /storage/v1/b/bucket/o/a',
    'DELETE /storage/v1/b/bucket/o/a',
  ]);
});
