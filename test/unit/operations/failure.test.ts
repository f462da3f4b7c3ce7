import { expect, test } from 'vitest';
import { S3Error } from '../../../src/errors/s3-error.ts';
import { RecordFormatError } from '../../../src/manifest/records/record.ts';
import { toS3Error } from '../../../src/operations/failure.ts';
import { StoreError, type StoreErrorKind } from '../../../src/store/store-error.ts';

test.each<[StoreErrorKind, string]>([
  ['throttled', 'SlowDown'],
  ['unavailable', 'ServiceUnavailable'],
  ['archived', 'InvalidObjectState'],
  ['containerBusy', 'OperationAborted'],
  ['denied', 'AccessDenied'],
  ['notFound', 'InternalError'],
  ['conditionFailed', 'InternalError'],
  ['aborted', 'InternalError'],
  ['unexpected', 'InternalError'],
])('%s that nobody translated: %s, with its cause', (kind, code) => {
  const error = new StoreError(kind);
  expect(toS3Error(error)).toMatchObject({ code, cause: error });
});

test.each([
  ['BlobImmutableDueToLegalHold', 'A retention policy or hold of the storage service protects it.'],
  ['BlobImmutableDueToPolicy', 'A retention policy or hold of the storage service protects it.'],
  ['retentionPolicyNotMet', 'A retention policy or hold of the storage service protects it.'],
  ['AuthorizationPermissionMismatch', 'The storage service says: AuthorizationPermissionMismatch.'],
  [undefined, 'The storage service says: forbidden.'],
])('what the backend denies the gateway itself is no failure that clients repeat: %s', (code, reason) => {
  const error = new StoreError('denied', { status: 403, ...(code !== undefined && { code }) });
  expect(toS3Error(error)).toMatchObject({
    code: 'AccessDenied',
    status: 403,
    message: `The gateway's own identity may not do this in the storage service. ${reason}`,
  });
});

test('bytes that the service hands out only unpacked are a state of the object', () => {
  expect(toS3Error(new StoreError('unexpected', { code: 'StoredBytesWithheld' })).code).toBe('InvalidObjectState');
});

test('what waits for the end of the window after versioning was enabled conflicts with that; the backend is there', () => {
  expect(toS3Error(new StoreError('unavailable', { code: 'VersioningJustEnabled' }))).toMatchObject({
    code: 'OperationAborted',
    status: 409,
  });
});

test('a record that cannot be read is a state of the object', () => {
  const error = new RecordFormatError(99);
  expect(toS3Error(error)).toMatchObject({ code: 'InvalidObjectState', status: 403, cause: error });
});

test('the reason of a broken upload is found below', () => {
  const reason = new S3Error('BadDigest');
  expect(toS3Error(new StoreError('aborted', { cause: new Error('outer', { cause: reason }) }))).toBe(reason);
  expect(toS3Error(new DOMException('aborted', { name: 'AbortError', cause: reason }))).toBe(reason);
});

test('an S3 error stays what it is, anything else is InternalError', () => {
  const error = new S3Error('NoSuchKey');
  expect(toS3Error(error)).toBe(error);
  expect(toS3Error('text')).toMatchObject({ code: 'InternalError', cause: 'text' });
});

test('causes that go round in a circle end', () => {
  const first = new Error('first');
  first.cause = new Error('second', { cause: first });
  expect(toS3Error(first).code).toBe('InternalError');
});

test('an upload that was broken off because the bucket could not be looked up fails of that', () => {
  const cause = new StoreError('unavailable', { call: 'read' });
  expect(toS3Error(new StoreError('aborted', { cause })).code).toBe('ServiceUnavailable');
  expect(toS3Error(new StoreError('aborted', { cause: new Error('request failed', { cause }) })).code).toBe(
    'ServiceUnavailable',
  );
  expect(toS3Error(new DOMException('aborted', { name: 'AbortError', cause })).code).toBe('ServiceUnavailable');
});
