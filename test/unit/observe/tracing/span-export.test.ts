import { describe, expect, test } from 'vitest';
import type { RequestFacts } from '../../../../src/observe/request-facts.ts';
import { SpanExport } from '../../../../src/observe/tracing/span-export.ts';
import { endedFacts } from '../../../support/observe/ended-facts.ts';

function exporter(): { at: number; seen: number; observer: SpanExport } {
  const state = { at: 5000, seen: 0 };
  const observer = new SpanExport({
    sink: { add: () => (state.seen += 1) },
    keepNotable: true,
    slowMs: 1000,
    now: () => state.at,
  });
  return Object.assign(state, { observer });
}

/** One that the sampler left out and that was refused. */
function refused(identity: NonNullable<RequestFacts['auth']>['identity']): RequestFacts {
  const facts = endedFacts();
  facts.status = 403;
  facts.failure = { name: 'S3Error', code: 'AccessDenied', message: '', status: 403, stack: '' };
  facts.auth = {
    method: identity === undefined ? 'header' : 'anonymous',
    identity,
    failure: undefined,
    signature: undefined,
  };
  return facts;
}

describe('requests that the sampler left out and that failed', () => {
  test.each([
    ['that is anonymous', { kind: 'anonymous' } as const],
    ['whose signature is not valid', undefined],
  ])('of a stranger %s: one a second', (_, identity) => {
    const spans = exporter();
    for (let i = 0; i < 100; i += 1) spans.observer.ended(refused(identity));
    expect(spans.seen).toBe(1);
    spans.at += 999;
    spans.observer.ended(refused(identity));
    expect(spans.seen).toBe(1);
    spans.at += 1;
    spans.observer.ended(refused(identity));
    expect(spans.seen).toBe(2);
  });

  test('of an account: all, however many strangers failed', () => {
    const spans = exporter();
    for (let i = 0; i < 10; i += 1) {
      spans.observer.ended(refused(undefined));
      spans.observer.ended(refused({ kind: 'account', account: { name: 'main', canonicalId: 'c' }, accessKeyId: 'A' }));
    }
    expect(spans.seen).toBe(11);
  });

  test("of strangers: what went well takes nobody's place", () => {
    const spans = exporter();
    const fine = endedFacts();
    spans.observer.ended(fine);
    spans.observer.ended(refused(undefined));
    expect(spans.seen).toBe(1);
  });
});
