import {
  DeleteBucketCommand,
  GetBucketAclCommand,
  GetBucketOwnershipControlsCommand,
  HeadBucketCommand,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { COMPANIONS, type Companion, outcomeOf } from './companions.ts';
import { NOT_OFFERED } from './not-offered.ts';
import { bucket } from './scene.ts';
import { client, openSdkScene } from './sdk-scene.ts';

/**
 * What a controller does of a bucket (Crossplane's provider-aws, `pkg/controller/s3/bucket`; upjet's and Terraform's
 * provider make the same calls per resource): it observes each setting, compares the answer field by field with what is
 * wanted, puts what differs, and observes again. An answer that differs from what was put is put again for ever.
 */
openSdkScene({ 'x-amz-acl': 'private', 'x-amz-object-ownership': 'ObjectWriter' });

const read = ({ read: ask }: Companion): Promise<unknown> => outcomeOf(ask(client, bucket));

test.each(COMPANIONS)(
  '$name: each state that is put is observed, field by field, and putting it again changes nothing',
  async (companion) => {
    await companion.before?.(client, bucket);
    for (const { put, observed } of companion.states) {
      await put(client, bucket);
      expect(await read(companion)).toEqual(observed);
      await put(client, bucket);
      expect(await read(companion)).toEqual(observed);
    }
  },
);

test.each(COMPANIONS.filter(({ remove }) => remove !== undefined))(
  '$name: after its deletion, once and again, it is what it was',
  async (companion) => {
    await companion.before?.(client, bucket);
    const never = await read(companion);
    for (const { put } of companion.states) await put(client, bucket);
    expect(await read(companion)).not.toEqual(never);
    await companion.remove?.(client, bucket);
    expect(await read(companion)).toEqual(never);
    await companion.remove?.(client, bucket);
    expect(await read(companion)).toEqual(never);
  },
);

describe('the bucket', () => {
  test('is missing before it is made and after it is deleted: NotFound, and nothing else', async () => {
    const absent = new HeadBucketCommand({ Bucket: 'reconcile-none' });
    expect(await outcomeOf(client.send(absent))).toBe('NotFound');
    await client.send(new DeleteBucketCommand({ Bucket: bucket }));
    expect(await outcomeOf(client.send(new HeadBucketCommand({ Bucket: bucket })))).toBe('NotFound');
    expect(await outcomeOf(client.send(new DeleteBucketCommand({ Bucket: bucket })))).toBe('NoSuchBucket');
  });

  test('its ACL and its ownership are put at every observation, and stay what they are', async () => {
    const controls = { Rules: [{ ObjectOwnership: 'ObjectWriter' as const }] };
    for (let times = 0; times < 3; times++) {
      await client.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'private' }));
      await client.send(new PutBucketOwnershipControlsCommand({ Bucket: bucket, OwnershipControls: controls }));
      const { Owner, Grants } = await client.send(new GetBucketAclCommand({ Bucket: bucket }));
      expect(Grants).toEqual([{ Grantee: { ...Owner, Type: 'CanonicalUser' }, Permission: 'FULL_CONTROL' }]);
    }
    const { OwnershipControls } = await client.send(new GetBucketOwnershipControlsCommand({ Bucket: bucket }));
    expect(OwnershipControls).toEqual(controls);
  });
});

describe('what is not offered says so, and the setting stays never made', () => {
  test.each(NOT_OFFERED)('$name', async ({ put, read }) => {
    const never = await outcomeOf(read(client, bucket));
    expect(await outcomeOf(put(client, bucket))).toBe('NotImplemented');
    expect(await outcomeOf(read(client, bucket))).toEqual(never);
  });
});
