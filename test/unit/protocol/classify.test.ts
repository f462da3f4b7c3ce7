import { describe, expect, test } from 'vitest';
import { S3Error } from '../../../src/errors/s3-error.ts';
import { classify } from '../../../src/protocol/classify.ts';
import { RawHeaders } from '../../../src/protocol/headers/header-reader.ts';
import { readQuery } from '../../../src/protocol/headers/query-reader.ts';
import { OPERATION_TABLE, type OperationRow } from '../../../src/protocol/operation-table.ts';
import type { S3Address } from '../../../src/protocol/request.ts';

const ADDRESSES: Readonly<Record<OperationRow['level'], S3Address>> = {
  service: { virtualHost: false },
  bucket: { virtualHost: false, bucket: 'bucket' },
  object: { virtualHost: false, bucket: 'bucket', key: 'key' },
  control: { virtualHost: false, bucket: 'bucket', control: true },
};

function outcome(method: string, level: OperationRow['level'], query: string, headers: string[] = []): string {
  try {
    return classify(method, ADDRESSES[level], readQuery(query), new RawHeaders(headers)).name;
  } catch (error) {
    if (error instanceof S3Error) return error.code;
    throw error;
  }
}

function queryOf({ match }: OperationRow): string {
  const further = match.query === undefined ? '' : `&${match.query}=${match.value ?? '1'}`;
  return `${match.subresource ?? ''}${further}`;
}

function headersOf({ name, match }: OperationRow): string[] {
  if (name === 'PostObject') return ['Content-Type', 'multipart/form-data; boundary=x'];
  return match.header === undefined ? [] : [match.header, '/source/key'];
}

describe('the operation table', () => {
  test('names every operation once', () => {
    const names = OPERATION_TABLE.map((row) => row.name);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(OPERATION_TABLE.map((row) => [row.name, row] as const))(
    '%s is found, whatever else the query says',
    (name, row) => {
      const query = queryOf(row);
      expect(outcome(row.method, row.level, query, headersOf(row))).toBe(name);
      expect(outcome(row.method, row.level, `x-id=${name}&${query}&unknown=1`, headersOf(row))).toBe(name);
    },
  );

  test('copies, initiations and ACL writes are never anonymous', () => {
    const closed = OPERATION_TABLE.filter((row) => !row.anonymousAllowed).map((row) => row.name);
    expect(closed).toEqual(
      expect.arrayContaining(['CopyObject', 'UploadPartCopy', 'CreateMultipartUpload', 'PutObjectAcl']),
    );
  });

  test('only objects and parts may come in signed chunks', () => {
    expect(
      OPERATION_TABLE.filter((row) => row.streamingPayload)
        .map((row) => row.name)
        .sort(),
    ).toEqual(['PutObject', 'UploadPart']);
  });
});

describe('no sub-resource falls through to the plain verb', () => {
  const plain = new Set(OPERATION_TABLE.filter((row) => row.match.subresource === undefined).map((row) => row.name));
  const subresources = [...new Set(OPERATION_TABLE.flatMap((row) => row.match.subresource ?? []))];

  test.each(subresources)('?%s', (subresource) => {
    for (const level of ['service', 'bucket', 'object'] as const) {
      for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH']) {
        expect(plain, `${method} ${level}?${subresource}`).not.toContain(outcome(method, level, subresource));
        expect(plain).not.toContain(outcome(method, level, `${subresource}=value&x=y`));
      }
    }
  });
});

describe('refusals', () => {
  test.each<[string, OperationRow['level'], string, string]>([
    ['GET', 'bucket', 'acl&cors', 'InvalidArgument'],
    ['GET', 'object', 'uploadId=1&acl', 'InvalidArgument'],
    ['PUT', 'object', 'partNumber=1', 'InvalidArgument'],
    ['PUT', 'object', 'uploadId=1', 'MethodNotAllowed'],
    ['HEAD', 'object', 'uploadId=1', 'MethodNotAllowed'],
    ['POST', 'service', '', 'MethodNotAllowed'],
    ['OPTIONS', 'service', '', 'MethodNotAllowed'],
    ['GET', 'service', 'acl', 'InvalidRequest'],
    ['GET', 'object', 'uploads', 'InvalidRequest'],
    ['PUT', 'object', 'uploads', 'MethodNotAllowed'],
    ['GET', 'object', 'versions', 'InvalidRequest'],
    ['DELETE', 'bucket', 'metadataTable', 'DeleteBucketMetadataTableConfiguration'],
    ['PUT', 'bucket', 'session', 'NotImplemented'],
    ['POST', 'bucket', '', 'PreconditionFailed'],
    ['OPTIONS', 'object', 'acl&cors', 'OptionsObject'],
    ['GET', 'bucket', 'list-type=1', 'ListObjects'],
    ['GET', 'bucket', 'acl&acl', 'GetBucketAcl'],
  ])('%s %s ?%s: %s', (method, level, query, expected) => {
    expect(outcome(method, level, query)).toBe(expected);
  });

  test.each<[string, OperationRow['level'], string]>([
    ['GET', 'object', ''],
    ['PUT', 'bucket', ''],
    ['PUT', 'object', 'acl'],
    ['DELETE', 'object', ''],
    ['POST', 'object', 'uploads'],
  ])('a copy source on %s %s ?%s', (method, level, query) => {
    expect(outcome(method, level, query, ['X-Amz-Copy-Source', '/a/b'])).toBe('InvalidArgument');
  });
});
