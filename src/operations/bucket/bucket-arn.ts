/** `x-amz-bucket-arn`. Names of buckets hold nothing that would have to be escaped. */
export function bucketArn(name: string): string {
  return `arn:aws:s3:::${name}`;
}
