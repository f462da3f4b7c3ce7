import type { OwningBucket } from './acl/in-force.ts';
import { rememberedPolicy } from './policy/remembered.ts';
import type { NamedPolicy } from './policy/document.ts';
import { isPublicPolicy } from './policy/public.ts';

/** S3's limit on the text of a bucket's policy. */
export const MAX_BUCKET_POLICY = 20 * 1024;

export interface BucketPolicy extends NamedPolicy {
  /** It lets in who cannot be counted, in the sense of the public access block. */
  readonly isPublic: boolean;
}

/** By the settings of one revision of a bucket's record. */
const known = new WeakMap<OwningBucket['settings'], BucketPolicy>();

/** The policy of a bucket, parsed once per revision of its record. Undefined: it has none. */
export function policyOf({ settings }: Pick<OwningBucket, 'settings'>): BucketPolicy | undefined {
  if (settings.policy === undefined) return undefined;
  const found = known.get(settings);
  if (found !== undefined) return found;
  const document = rememberedPolicy(settings.policy);
  const policy = { name: 'bucket policy', document, isPublic: isPublicPolicy(document) };
  known.set(settings, policy);
  return policy;
}
