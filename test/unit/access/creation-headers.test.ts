import { describe, expect, test } from 'vitest';
import { creationHeaders, isCreationKey, readerOfCreation } from '../../../src/access/creation-headers.ts';
import { CREATION_HEADERS, heededHeader } from '../../../src/access/heeded-headers.ts';
import { actionsWith } from '../../../src/access/policy/condition-keys.ts';
import { describeAttributes } from '../../../src/protocol/headers/object-attributes.ts';
import { parametersOf } from '../../../src/protocol/operation-parameters.ts';
import { operationRow, type OperationName } from '../../../src/protocol/operation-table.ts';

/** A header that objects are given stands in several lists. One that a list lacks shows here. */

const MAKING: readonly OperationName[] = ['PutObject', 'CopyObject', 'CreateMultipartUpload'];
const keyOf = (header: string): string =>
  `s3:${header === 'x-amz-tagging' ? 'requestobjecttagkeys' : header.replace(/^x-amz-(?=object-lock-)/, '')}`;

describe.each(CREATION_HEADERS)('%s', (name) => {
  test('counts in every operation that makes an object', () => {
    for (const operation of MAKING) {
      // Policies have a condition on it, and only buckets have such a grant.
      if (name !== 'x-amz-grant-write') expect(parametersOf(operationRow(operation)).counts).toContain(name);
      const headers = readerOfCreation({ [name]: 'said', 'x-amz-tagging-directive': 'REPLACE' });
      expect(heededHeader({ operation, headers }, name), operation).toBe('said');
      expect(heededHeader({ operation: 'GetObject', headers }, name)).toBeUndefined();
    }
  });

  test('is a condition key of PutObject, by which parts of an upload are judged, too', () => {
    expect(actionsWith(keyOf(name))).toContain('s3:PutObject');
    expect(isCreationKey(keyOf(name))).toBe(true);
    expect(creationHeaders(readerOfCreation({ [name]: 'said' }))).toEqual({ [name]: 'said' });
  });
});

test('what answers say of an object is what requests that make it may say', () => {
  const shown = Object.keys(describeAttributes({ headers: {}, userMetadata: {} }));
  for (const operation of MAKING) {
    expect(parametersOf(operationRow(operation)).counts).toEqual(expect.arrayContaining(shown));
  }
});
