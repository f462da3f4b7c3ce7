import { expect, test } from 'vitest';
import type { BackendCallFacts } from '../../../src/observe/call-facts.ts';
import { Denials } from '../../../src/observe/denials.ts';
import { StoreError } from '../../../src/store/store-error.ts';

function ended(operation: string, failure: StoreError | undefined): BackendCallFacts {
  return {
    ...{ system: 'azure', operation, method: 'PUT', path: '/c/n', spanId: undefined, attempt: 1 },
    ...{ started: 0, bytesSent: 0, ended: 1, status: 403, bytesReceived: 0, backendRequestId: 'r' },
    ...{ outcome: failure?.kind ?? 'ok', failure },
  };
}

function watch(): { lines: object[]; denials: Denials; pass: (ms: number) => void } {
  const lines: object[] = [];
  let now = 0;
  const log = { info: () => undefined, warn: () => undefined, error: (fields: object) => void lines.push(fields) };
  return { lines, denials: new Denials(log, () => now), pass: (ms) => void (now += ms) };
}

test('what a backend denies the gateway itself is told to the operator, with its reason', () => {
  const { lines, denials } = watch();
  denials.callEnded(ended('write', new StoreError('denied', { code: 'BlobImmutableDueToLegalHold' })));
  expect(lines).toEqual([
    {
      ...{ backend: 'azure', call: 'write', status: 403, code: 'BlobImmutableDueToLegalHold' },
      ...{ backendRequestId: 'r', denied: 1 },
    },
  ]);
});

test('each kind once a minute, and how often it was', () => {
  const { lines, denials, pass } = watch();
  const refused = ended('write', new StoreError('denied', { code: 'AuthorizationFailure' }));
  for (let times = 0; times < 5; times += 1) denials.callEnded(refused);
  denials.callEnded(ended('read', new StoreError('denied')));
  expect(lines).toMatchObject([{ call: 'write', denied: 1 }, { call: 'read' }]);
  pass(60_000);
  denials.callEnded(refused);
  expect(lines[2]).toMatchObject({ call: 'write', denied: 5 });
});

test('other failures are not, nor a stranger who has a name that a client chose', () => {
  const { lines, denials } = watch();
  denials.callEnded(ended('write', undefined));
  denials.callEnded(ended('write', new StoreError('throttled')));
  denials.callEnded(ended('headContainer', new StoreError('denied', { status: 403 })));
  expect(lines).toEqual([]);
});
