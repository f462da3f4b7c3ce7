import { describe, expect, it } from 'vitest';
import { S3Error } from '../../../src/errors/s3-error.ts';
import { isNotable } from '../../../src/observe/notable.ts';
import type { S3ErrorCode } from '../../../src/errors/error-table.ts';
import { type FactsOptions, factsOf } from '../../support/observe/request-facts.ts';

const SLOW_MS = 1000;
const refused = (code: S3ErrorCode): FactsOptions => {
  const failure = new S3Error(code);
  return { status: failure.status, failure };
};

describe('a request is notable', () => {
  it.each<[string, FactsOptions, boolean]>([
    ['answered in time', {}, false],
    ['slow', { tookMs: SLOW_MS }, true],
    ['slow because its client was', { tookMs: SLOW_MS, clientWaitMs: 1 }, false],
    ['nothing there', refused('NoSuchKey'), false],
    ['no bucket there', refused('NoSuchBucket'), false],
    ['not modified', { status: 304 }, false],
    ['a condition that does not hold', refused('PreconditionFailed'), false],
    ['denied', refused('AccessDenied'), true],
    ['an error of ours', refused('InternalError'), true],
    ['its client left', { clientLeft: true }, true],
    ['it ended without an answer', { status: 0 }, true],
  ])('%s', (_, options, expected) => {
    expect(isNotable(factsOf(options), SLOW_MS)).toBe(expected);
  });
});
