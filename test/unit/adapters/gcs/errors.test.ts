import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readErrorDocument, refusalError } from '../../../../adapters/gcs/errors.ts';
import { wireFailureError } from '../../../../adapters/shared/wire/wire-failure.ts';
import type { Refusal } from '../../../../adapters/gcs/errors.ts';
import { WireError } from '../../../../adapters/shared/wire/transport.ts';
import { StoreError } from '../../../../src/store/store-error.ts';

const READ = { call: 'read', effect: 'read', missing: 'object' } as const;
const WRITE = { call: 'write', effect: 'change', missing: 'bucket' } as const;

function refusal(status: number, code?: string, message?: string): Refusal {
  return { status, code, message, requestId: undefined, retryAfter: undefined };
}

describe('refusals', () => {
  test.each([
    [404, 'notFound', 'No such object: b/o', 'notFound'],
    [404, 'notFound', 'The specified bucket does not exist.', 'containerNotFound'],
    [404, 'NoSuchKey', undefined, 'notFound'],
    [404, 'NoSuchBucket', undefined, 'containerNotFound'],
    [404, undefined, undefined, 'notFound'],
    [412, 'conditionNotMet', undefined, 'conditionFailed'],
    [412, 'PreconditionFailed', undefined, 'conditionFailed'],
    [412, undefined, undefined, 'conditionFailed'],
    [416, 'InvalidRange', undefined, 'rangeNotSatisfiable'],
    [416, undefined, undefined, 'rangeNotSatisfiable'],
    [400, 'invalid', 'Provided MD5 hash "a" doesn\'t match calculated MD5 hash "b".', 'digestMismatch'],
    [400, 'invalid', 'User-specified metadata is too large', 'tooLarge'],
    [
      400,
      'invalid',
      'The maximum object length is 1024 characters, but got a name with 1025 characters',
      'invalidName',
    ],
    [400, 'required', 'Required parameter: project', 'unexpected'],
    [401, 'authError', undefined, 'denied'],
    [401, undefined, undefined, 'denied'],
    [403, 'forbidden', undefined, 'denied'],
    [403, 'rateLimitExceeded', undefined, 'throttled'],
    [403, 'retentionPolicyNotMet', undefined, 'denied'],
    [408, undefined, undefined, 'unavailable'],
    [409, 'conflict', undefined, 'throttled'],
    [413, 'uploadTooLarge', undefined, 'tooLarge'],
    [429, 'rateLimitExceeded', undefined, 'throttled'],
    [429, undefined, undefined, 'throttled'],
    [500, 'backendError', undefined, 'unavailable'],
    [502, undefined, '<html>', 'unavailable'],
    [503, 'backendError', undefined, 'throttled'],
    [500, 'notFound', undefined, 'unavailable'],
    [304, undefined, undefined, 'unexpected'],
    [308, undefined, undefined, 'unexpected'],
  ])('%i %s (%s) is %s', (status, code, message, kind) => {
    expect(refusalError(READ, refusal(status, code, message)).kind).toBe(kind);
  });

  test.each([
    ["Object 'b/o' is subject to bucket's retention policy and cannot be deleted until ...", 'retentionPolicyNotMet'],
    [
      "Object 'b/o' is under active Temporary hold and cannot be deleted, overwritten or archived.",
      'objectUnderActiveHold',
    ],
    ['a@b.example does not have storage.objects.create access to b/o.', 'forbidden'],
  ])('a 403 says in words only why it is forbidden: %s', (message, code) => {
    expect(refusalError(WRITE, refusal(403, 'forbidden', message))).toMatchObject({ kind: 'denied', detail: { code } });
  });

  test('a 404 of an upload can only mean the bucket, a 409 what the call says', () => {
    expect(refusalError(WRITE, refusal(404, 'notFound')).kind).toBe('containerNotFound');
    expect(refusalError({ ...WRITE, conflict: 'containerExists' }, refusal(409, 'conflict')).kind).toBe(
      'containerExists',
    );
  });

  test('5xx and 408 of a change are lost, nothing else is', () => {
    for (const status of [408, 500, 502, 503, 504]) expect(refusalError(WRITE, refusal(status)).lost).toBe(true);
    for (const status of [400, 403, 404, 409, 412, 429]) expect(refusalError(WRITE, refusal(status)).lost).toBe(false);
    for (const status of [408, 500, 503]) expect(refusalError(READ, refusal(status)).lost).toBe(false);
  });

  test('every status and code has an error', () => {
    const anyRefusal = fc.tuple(
      fc.integer({ min: 100, max: 999 }),
      fc.option(fc.string(), { nil: undefined }),
      fc.option(fc.string(), { nil: undefined }),
    );
    fc.assert(
      fc.property(anyRefusal, ([status, code, message]) => {
        expect(refusalError(WRITE, refusal(status, code, message))).toBeInstanceOf(StoreError);
      }),
    );
    expect(refusalError(READ, refusal(418, 'constructor')).kind).toBe('unexpected');
  });
});

describe('no answer', () => {
  test.each([
    ['timeout', true, 'unavailable', true],
    ['network', false, 'unavailable', false],
    ['aborted', true, 'aborted', true],
    ['body', true, 'aborted', false],
    ['malformed', false, 'unexpected', false],
  ] as const)('%s, sent %s: %s, lost %s', (failure, sent, kind, lost) => {
    const error = wireFailureError(WRITE, new WireError(failure, sent, new Error('why')));
    expect([error.kind, error.lost]).toEqual([kind, lost]);
    expect(wireFailureError(READ, new WireError(failure, sent, undefined)).lost).toBe(false);
  });
});

describe('error documents', () => {
  test.each([
    [
      '{"error":{"code":412,"message":"no","errors":[{"reason":"conditionNotMet","message":"no"}]}}',
      'conditionNotMet',
      'no',
    ],
    ['{"error":{"message":"no"}}', undefined, 'no'],
    ['{"error":null}', undefined, undefined],
    ['{"error":"text"}', undefined, undefined],
    ['[]', undefined, undefined],
    [
      "<?xml version='1.0'?><Error><Code>NoSuchKey</Code><Message>gone &amp; away</Message></Error>",
      'NoSuchKey',
      'gone &amp; away',
    ],
    ['<html>proxy</html>', undefined, undefined],
    ['Invalid argument.', undefined, 'Invalid argument.'],
    ['', undefined, undefined],
  ])('%s', (text, code, message) => {
    expect(readErrorDocument(text)).toEqual({ code, message });
  });

  test('any text will do', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readErrorDocument(text)));
  });
});
