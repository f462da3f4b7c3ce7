import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { S3Error } from '../../../src/errors/s3-error.ts';
import type { S3ErrorCode } from '../../../src/errors/error-table.ts';
import { Batch } from '../../../src/observe/batch.ts';
import type { Log } from '../../../src/observe/log.ts';
import { hasFailed } from '../../../src/observe/notable.ts';
import { RequestObservers } from '../../../src/observe/request-observers.ts';
import { endedFacts } from '../../support/observe/ended-facts.ts';
import { SILENT } from '../../support/silent-log.ts';

describe('observers', () => {
  test('one that fails is logged once and harms nobody', () => {
    const logged: string[] = [];
    const log: Log = { ...SILENT, error: (_fields, message) => logged.push(message) };
    const observers = new RequestObservers(log);
    let seen = 0;
    observers.add({
      ended() {
        throw new Error('broken');
      },
    });
    const remove = observers.add({ begun: () => (seen += 1), ended: () => (seen += 1) });
    for (let i = 0; i < 3; i += 1) {
      observers.begun(endedFacts());
      observers.ended(endedFacts());
    }
    observers.flush();
    remove();
    observers.ended(endedFacts());
    observers.flush();
    expect(seen).toBe(6);
    expect(logged).toEqual(['an observer of requests failed (ended)']);
  });
});

describe('a batch', () => {
  let handed: (readonly number[])[];
  let batch: Batch<number>;

  beforeEach(() => {
    handed = [];
    batch = new Batch((items) => handed.push(items));
    vi.useFakeTimers();
  });

  afterEach(() => void vi.useRealTimers());

  test('is handed over when it is full', () => {
    for (let i = 0; i < 270; i += 1) batch.add(i);
    expect(handed.map(({ length }) => length)).toEqual([128, 128]);
    batch.flush();
    expect(handed.flat()).toEqual(Array.from({ length: 270 }, (_, i) => i));
  });

  test('after a tenth of a second, however small', () => {
    batch.add(1);
    vi.advanceTimersByTime(99);
    expect(handed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(handed).toEqual([[1]]);
    vi.advanceTimersByTime(1000);
    expect([handed.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test('when somebody wants it, but not when it is empty', () => {
    batch.flush();
    batch.add(1);
    batch.flush();
    batch.flush();
    expect(handed).toEqual([[1]]);
  });
});

describe('a request has failed', () => {
  test.each<[S3ErrorCode | undefined, boolean]>([
    [undefined, false],
    ['NoSuchKey', false],
    ['PreconditionFailed', false],
    ['InvalidRange', false],
    ['SignatureDoesNotMatch', true],
    ['AccessDenied', true],
    ['InvalidArgument', true],
    ['SlowDown', true],
    ['InternalError', true],
  ])('%s: %s', (code, expected) => {
    const failure = code && new S3Error(code);
    const facts = endedFacts({ status: failure?.status ?? 200 });
    facts.failure = failure;
    expect(hasFailed(facts)).toBe(expected);
  });

  test('when its client left, or an error came within an answer of status 200', () => {
    const [left, late] = [endedFacts(), endedFacts()];
    left.clientLeft = true;
    late.failure = new S3Error('InternalError');
    expect([hasFailed(left), hasFailed(late)]).toEqual([true, true]);
  });
});
