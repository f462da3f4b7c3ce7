import { S3Error } from '../../../errors/s3-error.ts';
import { OWNERSHIPS, type Ownership } from '../../../protocol/acl/ownership.ts';
import type { Decoded } from '../../../protocol/xml/decode.ts';
import { OWNERSHIP_CONTROLS } from '../../../protocol/xml/setting-shapes.ts';
import { requireOwnAcl } from '../../acl/bucket-rules.ts';
import { authorizedBucket } from '../../authorized-bucket.ts';
import type { Operation } from '../../operation.ts';
import { settingBody } from './setting-body.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketOwnershipControls.html */
export const putBucketOwnershipControls: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const ownership = requestedOwnership(await settingBody(request, OWNERSHIP_CONTROLS));
  await context.manifest.buckets.amendEverywhere(
    bucket,
    (settings) => {
      const amended = { ...settings, ownership };
      requireOwnAcl(amended);
      return amended;
    },
    context.call,
  );
  return { status: 200 };
};

/** @throws S3Error MalformedXML */
function requestedOwnership({ rules: [rule, another] }: Decoded<typeof OWNERSHIP_CONTROLS>): Ownership {
  const ownership = OWNERSHIPS.find((known) => known === rule?.ObjectOwnership);
  if (ownership === undefined || another !== undefined) throw new S3Error('MalformedXML');
  return ownership;
}
