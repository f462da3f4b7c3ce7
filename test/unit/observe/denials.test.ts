import { expect, test } from 'vitest';
import { BackendCall } from '../../../src/observe/backend-call.ts';
import { CallFacts } from '../../../src/observe/call-facts.ts';
import { BackendCalls } from '../../../src/observe/call-watch.ts';
import { Denials } from '../../../src/observe/denials.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { testCall } from '../../support/test-call.ts';

/** What the operator reads, and a way to make calls that end so. */
function watch() {
  const lines: object[] = [];
  let now = 0;
  const log = { info: () => undefined, warn: () => undefined, error: (fields: object) => void lines.push(fields) };
  const calls = new BackendCalls();
  calls.onDenial(new Denials(log, () => now).denied);
  const facts = new CallFacts(undefined, calls);
  const end = (operation: string, failure: StoreError | undefined, of = facts): void => {
    const attempt = { system: 'azure', operation, method: 'PUT', path: '/c/n', attempt: 1, bytesSent: 0 };
    const answer = { status: failure?.detail.status ?? 200, requestId: 'r', bytesReceived: 0 };
    new BackendCall({ ...testCall(), facts: of }, attempt).answered(answer, failure);
  };
  return { lines, end, facts, pass: (ms: number) => void (now += ms) };
}

function denied(code?: string): StoreError {
  return new StoreError('denied', { status: 403, ...(code !== undefined && { code }) });
}

test('what a backend denies the gateway itself is told to the operator, with its reason', () => {
  const { lines, end } = watch();
  end('write', denied('BlobImmutableDueToLegalHold'));
  expect(lines).toEqual([
    {
      ...{ backend: 'azure', call: 'write', status: 403, code: 'BlobImmutableDueToLegalHold' },
      ...{ backendRequestId: 'r', denied: 1 },
    },
  ]);
});

test('so is what it denies in work behind an answer, and a part of a batch', () => {
  const { lines, end, facts } = watch();
  end('write', denied('AuthorizationFailure'), facts.apart());
  const part = { system: 'azure', operation: 'removeMany', status: 409, code: 'BlobImmutableDueToPolicy' };
  facts.apart().denied({ ...part, backendRequestId: undefined });
  expect(lines).toMatchObject([
    { call: 'write', code: 'AuthorizationFailure' },
    { call: 'removeMany', status: 409, code: 'BlobImmutableDueToPolicy' },
  ]);
});

test('each kind once a minute, and how often it was', () => {
  const { lines, end, pass } = watch();
  const refused = denied('AuthorizationFailure');
  for (let times = 0; times < 5; times += 1) end('write', refused);
  end('read', denied());
  expect(lines).toMatchObject([{ call: 'write', denied: 1 }, { call: 'read' }]);
  pass(60_000);
  end('write', refused);
  expect(lines[2]).toMatchObject({ call: 'write', denied: 5 });
});

test('other failures are not, nor a stranger who has a name that a client chose', () => {
  const { lines, end } = watch();
  end('write', undefined);
  end('write', new StoreError('throttled'));
  end('headContainer', denied());
  expect(lines).toEqual([]);
});
