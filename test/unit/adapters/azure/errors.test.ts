import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusalError } from '../../../../adapters/azure/errors.ts';
import { wireFailureError } from '../../../../adapters/shared/wire/wire-failure.ts';
import type { Refusal } from '../../../../adapters/azure/errors.ts';
import { WireError } from '../../../../adapters/shared/wire/transport.ts';
import { StoreError } from '../../../../src/store/store-error.ts';

const READ = { call: 'read', effect: 'read' } as const;
const CHANGE = { call: 'write', effect: 'change' } as const;
const COPY = { call: 'copy', effect: 'change', copies: true } as const;

function refusal(status: number, code?: string, more: Partial<Refusal> = {}): Refusal {
  return { status, code, requestId: undefined, retryAfter: undefined, sourceStatus: undefined, ...more };
}

describe('refusals', () => {
  test.each([
    [404, 'BlobNotFound', 'notFound'],
    [404, undefined, 'notFound'],
    [404, 'ContainerNotFound', 'containerNotFound'],
    [409, 'ContainerAlreadyExists', 'containerExists'],
    [409, 'ContainerBeingDeleted', 'containerBusy'],
    [409, 'BlobAlreadyExists', 'conditionFailed'],
    [412, 'ConditionNotMet', 'conditionFailed'],
    [412, undefined, 'conditionFailed'],
    [412, 'LeaseIdMissing', 'unexpected'],
    [400, 'InvalidBlockList', 'partsGone'],
    [416, 'InvalidRange', 'rangeNotSatisfiable'],
    [400, 'Md5Mismatch', 'digestMismatch'],
    [409, 'BlobArchived', 'archived'],
    [400, 'InvalidBlobTier', 'tierRefused'],
    [413, 'RequestBodyTooLarge', 'tooLarge'],
    [431, undefined, 'tooLarge'],
    [400, 'InvalidResourceName', 'invalidName'],
    [403, 'AuthorizationPermissionMismatch', 'denied'],
    [401, undefined, 'denied'],
    [429, undefined, 'throttled'],
    [503, 'ServerBusy', 'throttled'],
    [503, undefined, 'throttled'],
    [500, 'OperationTimedOut', 'throttled'],
    [500, 'InternalError', 'unavailable'],
    [500, 'FeatureNotSupported', 'unexpected'],
    [502, undefined, 'unavailable'],
    [400, 'InvalidHeaderValue', 'unexpected'],
    [304, undefined, 'unexpected'],
  ])('%i %s is %s', (status, code, kind) => {
    expect(refusalError(READ, refusal(status, code)).kind).toBe(kind);
  });

  test.each([
    [404, 'BlobNotFound', undefined, 'sourceNotFound'],
    [404, 'CannotVerifyCopySource', undefined, 'sourceNotFound'],
    [403, 'CannotVerifyCopySource', undefined, 'denied'],
    [400, 'CannotVerifyCopySource', 404, 'sourceNotFound'],
    [409, 'CannotVerifyCopySource', undefined, 'unexpected'],
    [500, 'CannotVerifyCopySource', undefined, 'unavailable'],
    [409, 'CannotVerifyCopySource', 503, 'unavailable'],
    [412, 'SourceConditionNotMet', undefined, 'sourceConditionFailed'],
    [412, 'ConditionNotMet', undefined, 'conditionFailed'],
    [404, 'ContainerNotFound', undefined, 'containerNotFound'],
    [416, 'InvalidRange', undefined, 'rangeNotSatisfiable'],
  ])('in a copy, %i %s (source %s) is %s', (status, code, sourceStatus, kind) => {
    expect(refusalError(COPY, refusal(status, code, { sourceStatus })).kind).toBe(kind);
  });

  test('only changes can be lost, and only by 5xx', () => {
    expect(refusalError(CHANGE, refusal(500)).lost).toBe(true);
    expect(refusalError(CHANGE, refusal(503, 'ServerBusy')).lost).toBe(true);
    expect(refusalError(CHANGE, refusal(429)).lost).toBe(false);
    expect(refusalError(CHANGE, refusal(412)).lost).toBe(false);
    expect(refusalError(READ, refusal(500)).lost).toBe(false);
  });

  test('a copy whose source could not be read never began', () => {
    expect(refusalError({ ...COPY, effect: 'change' }, refusal(500, 'CannotVerifyCopySource')).lost).toBe(false);
    expect(refusalError({ ...COPY, effect: 'change' }, refusal(500, 'InternalError')).lost).toBe(true);
  });

  test('the detail says what the service said', () => {
    const error = refusalError(READ, refusal(503, 'ServerBusy', { requestId: 'id', retryAfter: 3 }));
    expect(error.detail).toEqual({
      call: 'read',
      status: 503,
      code: 'ServerBusy',
      backendRequestId: 'id',
      retryAfter: 3,
    });
  });

  test('every status and code has a kind, names of Object.prototype too', () => {
    const codes = fc.oneof(fc.string(), fc.constantFrom('constructor', 'toString', '__proto__', 'hasOwnProperty'));
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.option(codes, { nil: undefined }), (status, code) => {
        for (const request of [READ, CHANGE, COPY]) {
          expect(typeof refusalError(request, refusal(status, code)).kind).toBe('string');
        }
      }),
    );
  });
});

describe('no answer', () => {
  const cause = new Error('socket');

  test.each([
    ['network', true, 'unavailable', true],
    ['network', false, 'unavailable', false],
    ['timeout', true, 'unavailable', true],
    ['aborted', true, 'aborted', true],
    ['aborted', false, 'aborted', false],
    ['body', true, 'aborted', false],
  ] as const)('%s, sent: %s is %s, lost: %s', (failure, sent, kind, lost) => {
    const wire = new WireError(failure, sent, cause);
    const error = wireFailureError(CHANGE, wire);
    expect(error).toMatchObject({ kind, lost, detail: { cause: failure === 'body' ? cause : wire } });
    expect(wireFailureError(READ, wire).lost).toBe(false);
  });

  test('a StoreError stays what it is, anything else is unexpected', () => {
    const known = new StoreError('denied');
    expect(wireFailureError(READ, known)).toBe(known);
    expect(wireFailureError(READ, 'odd')).toMatchObject({ kind: 'unexpected', detail: { cause: 'odd' } });
  });
});
