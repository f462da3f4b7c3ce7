/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html */
export const OWNERSHIPS = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter'] as const;
export type Ownership = (typeof OWNERSHIPS)[number];

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html */
export interface PublicAccessBlock {
  /** No request may bring an ACL that lets all callers in. */
  readonly blockPublicAcls: boolean;
  /** Grants to all callers that stand in ACLs count for nothing. */
  readonly ignorePublicAcls: boolean;
  readonly blockPublicPolicy: boolean;
  readonly restrictPublicBuckets: boolean;
}
