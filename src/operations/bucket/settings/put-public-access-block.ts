import type { PublicAccessBlock } from '../../../protocol/acl/ownership.ts';
import type { Decoded } from '../../../protocol/xml/decode.ts';
import { PUBLIC_ACCESS_BLOCK_CONFIGURATION } from '../../../protocol/xml/setting-shapes.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { settingBody } from './setting-body.ts';

/**
 * Two of the four switches concern ACLs (`acl/bucket-rules.ts`), two concern policies.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutPublicAccessBlock.html
 */
export const putPublicAccessBlock: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const publicAccessBlock = requestedBlock(await settingBody(request, PUBLIC_ACCESS_BLOCK_CONFIGURATION));
  await context.manifest.buckets.amendEverywhere(
    bucket,
    (settings) => ({ ...settings, publicAccessBlock }),
    context.call,
  );
  return { status: 200 };
};

/** A switch that the document does not name is off. */
function requestedBlock(document: Decoded<typeof PUBLIC_ACCESS_BLOCK_CONFIGURATION>): PublicAccessBlock {
  return {
    blockPublicAcls: document.BlockPublicAcls ?? false,
    ignorePublicAcls: document.IgnorePublicAcls ?? false,
    blockPublicPolicy: document.BlockPublicPolicy ?? false,
    restrictPublicBuckets: document.RestrictPublicBuckets ?? false,
  };
}
