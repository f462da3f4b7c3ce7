import { integer } from './preconditions.ts';
import { conditionNotMet } from './refusal.ts';
import type { StoredBucket } from './state.ts';

/** Buckets have a metageneration only. @throws Refusal 412 */
export function checkBeforeBucketChange(bucket: StoredBucket, query: URLSearchParams): void {
  const wanted = integer(query.get('ifMetagenerationMatch'), 'ifMetagenerationMatch');
  const unwanted = integer(query.get('ifMetagenerationNotMatch'), 'ifMetagenerationNotMatch');
  const current = String(bucket.metageneration);
  if ((wanted !== undefined && wanted !== current) || unwanted === current) throw conditionNotMet();
}
