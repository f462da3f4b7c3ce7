import type { Tag } from '../protocol/tagging.ts';
import type { Tags } from './accounts.ts';
import type { OwningBucket } from './acl/in-force.ts';
import type { ConditionKeys } from './policy/context.ts';

const REQUEST_TAG = 'aws:requesttag/';
const TAG_KEYS = 'aws:tagkeys';

/**
 * What IAM calls the value of a tag: its key is known in any spelling. Tags that differ in that only are several
 * values. https://docs.aws.amazon.com/IAM/latest/UserGuide/access_tags.html
 */
function taggedAs(tags: readonly Tag[] | undefined, name: string): string | readonly string[] | undefined {
  const lower = name.toLowerCase();
  const values = tags?.filter(({ key }) => key.toLowerCase() === lower).map(({ value }) => value) ?? [];
  return values.length > 1 ? values : values[0];
}

/** The value of one of the tags of an identity, by its key in any spelling. */
export function tagOf(tags: Tags, name: string): string | undefined {
  const lower = name.toLowerCase();
  return Object.entries(tags).find(([key]) => key.toLowerCase() === lower)?.[1];
}

/**
 * `aws:ResourceTag/...` and `s3:BucketTag/...`: a tag of the bucket, and of whatever is in it, where its owner has
 * switched that on. https://docs.aws.amazon.com/AmazonS3/latest/userguide/buckets-tagging-enable-abac.html
 */
export function bucketTag(
  { settings }: Pick<OwningBucket, 'settings'>,
  name: string,
): string | readonly string[] | undefined {
  return settings.abac === true ? taggedAs(settings.tags, name) : undefined;
}

/** `aws:RequestTag/...` and `aws:TagKeys` of a request that gives these tags to a bucket, as `Resource.says`. */
export function requestTagKeys(tags: readonly Tag[]): ConditionKeys {
  return {
    get: (key) => {
      if (key === TAG_KEYS) return tags.map((tag) => tag.key);
      return key.startsWith(REQUEST_TAG) ? taggedAs(tags, key.slice(REQUEST_TAG.length)) : undefined;
    },
  };
}

/** `aws:TagKeys` of a request that takes tags away, as `Resource.says`. */
export function removedTagKeys(keys: readonly string[]): ConditionKeys {
  return { get: (key) => (key === TAG_KEYS ? keys : undefined) };
}
