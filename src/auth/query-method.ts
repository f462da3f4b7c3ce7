import type { QueryPair } from './canonical-query.ts';

/** Any of these in a query is an attempt to authenticate. */
const V4_PARAMETERS: ReadonlySet<string> = new Set(['X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Signature']);
const V2_PARAMETERS: ReadonlySet<string> = new Set(['AWSAccessKeyId', 'Signature']);

/** Query keys that are part of the resource that version 2 signs. */
const V2_SUBRESOURCES: ReadonlySet<string> = new Set([
  'acl',
  'accelerate',
  'analytics',
  'cors',
  'delete',
  'encryption',
  'inventory',
  'lifecycle',
  'location',
  'logging',
  'metrics',
  'notification',
  'partNumber',
  'policy',
  'replication',
  'requestPayment',
  'restore',
  'tagging',
  'torrent',
  'uploadId',
  'uploads',
  'versionId',
  'versioning',
  'versions',
  'website',
  'object-lock',
  'retention',
  'legal-hold',
  'publicAccessBlock',
  'ownershipControls',
  'intelligent-tiering',
  'select',
  'select-type',
]);

/** The version of the signature that a query claims to have. */
export type QueryMethod = 'v2' | 'v4';

/** @param pairs in canonical encoding, in which the names that count stand as they are */
export function queryMethod(pairs: readonly QueryPair[]): QueryMethod | undefined {
  let found: QueryMethod | undefined;
  for (const { name } of pairs) {
    if (V4_PARAMETERS.has(name)) return 'v4';
    if (V2_PARAMETERS.has(name)) found = 'v2';
  }
  return found;
}

/** Parameters that stand in the resource of version 2. */
export function inV2Resource(name: string): boolean {
  return V2_SUBRESOURCES.has(name) || name.startsWith('response-');
}

/**
 * Whether a signature of version 2 covers a parameter, which may have an effect only then. (Version 4 covers all of
 * them.) The verifier, the code that takes headers out of the query, and the operations all ask this function. If they
 * used lists of their own, an operation could act on an unsigned parameter.
 * @param name decoded
 */
export function coveredByV2(name: string): boolean {
  return name.startsWith('x-amz-') || inV2Resource(name);
}
