import type { OwningBucket } from './acl/in-force.ts';
import type { NamedPolicy, PolicyDocument } from './policy/document.ts';
import { parsePolicy } from './policy/parse.ts';
import { isPublicPolicy } from './policy/public.ts';
import { RememberedPolicies } from './policy/remembered.ts';

/** S3's limit on the text of a bucket's policy. */
export const MAX_BUCKET_POLICY = 20 * 1024;

export interface BucketPolicy extends NamedPolicy {
  /** The policy is public in the sense of the public access block: it lets in callers that cannot be counted. */
  readonly isPublic: boolean;
}

const remembered = new RememberedPolicies('resource');
/** The entry of a document lives as long as `RememberedPolicies` keeps the document. */
const named = new WeakMap<PolicyDocument, BucketPolicy>();

/** The policy of a bucket, parsed once while it is remembered. Undefined: it has none. */
export function policyOf({ settings }: Pick<OwningBucket, 'settings'>): BucketPolicy | undefined {
  if (settings.policy === undefined) return undefined;
  const document = remembered.get(settings.policy) ?? UNREADABLE;
  const known = named.get(document);
  if (known !== undefined) return known;
  const policy = { name: 'bucket policy', document, isPublic: isPublicPolicy(document) };
  named.set(document, policy);
  return policy;
}

/** Stands in for a stored policy that cannot be read, although PutBucketPolicy checked it: denies everything. */
const UNREADABLE: PolicyDocument = denyingEverything();

function denyingEverything(): PolicyDocument {
  const statement = { Effect: 'Deny', Principal: '*', Action: '*', Resource: 'arn:aws:s3:::*' };
  const { document } = parsePolicy(JSON.stringify({ Statement: statement }), 'resource');
  if (document === undefined) throw new Error('no policy denies everything');
  return document;
}
