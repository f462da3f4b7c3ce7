import { xml } from '../../protocol/xml/document.ts';
import { LIST_OBJECTS_V2_RESULT } from '../../protocol/xml/list-shapes.ts';
import { authorizedBucket } from '../authorized-bucket.ts';
import type { Operation } from '../operation.ts';
import { decodeContinuationToken, encodeContinuationToken } from './continuation-token.ts';
import { checkOptionalAttributes, listParameters } from './list-parameters.ts';
import { contentsTexts, objectOwners, pageValues, prefixValues } from './list-values.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
export const listObjectsV2: Operation = async (request, context) => {
  const bucket = await authorizedBucket(request, context);
  const { query } = request;
  const parameters = listParameters(query);
  checkOptionalAttributes(request.headers);
  const startAfter = query.get('start-after');
  const token = query.get('continuation-token');
  // A token takes precedence over `start-after`. An empty token counts as none.
  const after = token === undefined || token === '' ? (startAfter ?? '') : decodeContinuationToken(token);

  const { prefix, delimiter, maxKeys, encode } = parameters;
  const { entries, next } = await context.manifest.listing.objects(
    bucket,
    { prefix, delimiter, after, limit: maxKeys },
    context.call,
  );
  const owners = query.get('fetch-owner') === 'true' ? objectOwners(bucket, context) : undefined;
  const value = {
    ...pageValues(bucket, parameters, next !== undefined),
    StartAfter: startAfter === undefined ? undefined : encode(startAfter),
    ContinuationToken: token,
    NextContinuationToken: next === undefined ? undefined : encodeContinuationToken(next),
    KeyCount: entries.length,
    Contents: contentsTexts(entries, parameters, owners),
    CommonPrefixes: prefixValues(entries, parameters),
  };
  return {
    status: 200,
    headers: { 'x-amz-bucket-region': context.settings.region },
    body: xml(LIST_OBJECTS_V2_RESULT, value),
  };
};
