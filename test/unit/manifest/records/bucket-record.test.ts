import { describe, expect, test } from 'vitest';
import type { BucketSettings } from '../../../../src/manifest/records/bucket.ts';
import {
  type BucketRecord,
  decodeBucketRecord,
  encodeBucketRecord,
} from '../../../../src/manifest/records/bucket-record.ts';

const RECORD: BucketRecord = {
  uid: 'uid',
  owner: 'owner',
  createdAt: 1,
  container: 'bucket',
  versioning: 'never',
  settings: {},
};
const BLOCK = { blockPublicAcls: true, ignorePublicAcls: false, blockPublicPolicy: true, restrictPublicBuckets: false };

function changed(change: (json: Record<string, unknown>) => void): Buffer {
  const json = JSON.parse(encodeBucketRecord(RECORD).body.toString()) as Record<string, unknown>;
  change(json);
  return Buffer.from(JSON.stringify(json));
}

describe('the record of a bucket', () => {
  test.each<[string, Partial<BucketRecord>]>([
    ['nothing set', {}],
    ['versioned since', { versioning: 'suspended', versionedSince: 1_700_000_000_000 }],
    ['owned', { owned: true }],
    ['being made', { state: { kind: 'claimed' } }],
    ['being deleted', { state: { kind: 'deleting', id: 'a' } }],
    ['deleted', { owned: true, state: { kind: 'deleted', id: 'a', isGone: true } }],
    ...(
      [
        { ownership: 'BucketOwnerEnforced' },
        { publicAccessBlock: BLOCK },
        { objectLock: {} },
        { tags: [{ key: 'k', value: 'v' }] },
        { objectLock: { default: { mode: 'COMPLIANCE', years: 3 } } },
        { objectLock: { default: { mode: 'GOVERNANCE', days: 1 } } },
        { acl: [{ grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' }] },
      ] satisfies BucketSettings[]
    ).map((settings): [string, Partial<BucketRecord>] => [JSON.stringify(settings), { settings }]),
  ])('is read as it was written: %s', (_name, more) => {
    const record = { ...RECORD, ...more };
    expect(decodeBucketRecord(encodeBucketRecord(record).body)).toEqual(record);
  });

  test('of a release that knew less has nothing set', () => {
    const bytes = changed((json) => {
      delete json['settings'];
      delete json['versioning'];
    });
    expect(decodeBucketRecord(bytes)).toEqual(RECORD);
  });

  test('of a release that knows more keeps what this one does not know', () => {
    const bytes = changed((json) => void (json['settings'] = { cors: [1] }));
    expect(decodeBucketRecord(encodeBucketRecord(decodeBucketRecord(bytes)).body).settings).toEqual({ cors: [1] });
  });

  test('with a KMS key for all objects is not read by a release that does not know of it', () => {
    const formatOf = (encryption: NonNullable<BucketSettings['encryption']>): unknown => {
      const { body, metadata } = encodeBucketRecord({ ...RECORD, settings: { encryption } });
      const { format } = JSON.parse(body.toString()) as { format: unknown };
      expect(JSON.parse(metadata['s3gw'] ?? '')).toMatchObject({ v: format });
      return format;
    };
    expect(formatOf({ bucketKey: true })).toBe(1);
    expect(formatOf({ bucketKey: true, kms: { key: 'ours' } })).toBe(2);
    expect(formatOf({ bucketKey: false, kms: {} })).toBe(2);
  });

  test('with a KMS key that says format 1 is one of the release that brought these keys', () => {
    const encryption = { bucketKey: false, kms: { key: 'ours' } };
    const bytes = changed((json) => void (json['settings'] = { encryption }));
    expect(decodeBucketRecord(bytes).settings).toEqual({ encryption });
  });

  test.each<[string, (json: Record<string, unknown>) => void]>([
    ['format', (json) => void (json['format'] = 2)],
    ['format', (json) => Object.assign(json, { format: 3, settings: { encryption: { bucketKey: false, kms: {} } } })],
    ['ownership', (json) => void (json['settings'] = { ownership: 'Somebody' })],
    ['grant', (json) => void (json['settings'] = { acl: ['?@a'] })],
  ])('is refused when its %s is unknown', (_name, change) => {
    expect(() => decodeBucketRecord(changed(change))).toThrow('cannot be read by this release');
  });
});
