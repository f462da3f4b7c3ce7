import { invalidArgument } from '../../errors/s3-error.ts';
import type { VersionsEntry } from '../../manifest/index.ts';
import type { QueryReader } from '../../protocol/request.ts';
import { xml, type XmlValue } from '../../protocol/xml/document.ts';
import { LIST_OBJECT_VERSIONS_RESULT } from '../../protocol/xml/list-shapes.ts';
import { xmlDate } from '../../protocol/xml/xml-date.ts';
import type { Operation } from '../operation.ts';
import { type ListParameters, listParameters } from './list-parameters.ts';
import { objectValues, objectOwners, type OwnerLookup, pageValues, prefixValues } from './list-values.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html */
export const listObjectVersions: Operation = async (request, context) => {
  const { bucket } = context;
  const parameters = listParameters(request);
  const { keyMarker, versionIdMarker } = readMarkers(request.query);

  const { prefix, delimiter, maxKeys, encode } = parameters;
  const page = await context.manifest.listing.versions(
    bucket,
    {
      prefix,
      delimiter,
      after: keyMarker,
      limit: maxKeys,
      ...(versionIdMarker !== '' && { afterVersion: versionIdMarker }),
    },
    context.call,
  );
  const value = {
    ...pageValues(bucket, parameters, page.next !== undefined),
    KeyMarker: encode(keyMarker),
    VersionIdMarker: versionIdMarker,
    NextKeyMarker: page.next === undefined ? undefined : encode(page.next),
    NextVersionIdMarker: page.nextVersion,
    entries: versionValues(page.entries, parameters, objectOwners(bucket, context)),
    CommonPrefixes: prefixValues(page.entries, parameters),
  };
  return {
    status: 200,
    headers: { 'x-amz-bucket-region': context.settings.region },
    body: xml(LIST_OBJECT_VERSIONS_RESULT, value),
  };
};

/** @throws S3Error InvalidArgument */
function readMarkers(query: QueryReader): { keyMarker: string; versionIdMarker: string } {
  const keyMarker = query.get('key-marker') ?? '';
  const versionIdMarker = query.get('version-id-marker') ?? '';
  if (keyMarker === '' && versionIdMarker !== '') {
    throw invalidArgument(
      'version-id-marker',
      versionIdMarker,
      'A version-id marker cannot be specified without a key marker.',
    );
  }
  return { keyMarker, versionIdMarker };
}

/** Versions and delete markers, mixed, in the order of their keys and times. */
function versionValues(
  entries: readonly VersionsEntry[],
  parameters: ListParameters,
  ownerOf: OwnerLookup | undefined,
): XmlValue[] {
  const { encode } = parameters;
  return entries.flatMap((entry): XmlValue[] => {
    if (entry.kind === 'prefix') return [];
    const { key, versionId: VersionId, isLatest: IsLatest, mtime, ownerId } = entry;
    if (entry.kind === 'version') {
      return [{ Version: { VersionId, IsLatest, ...objectValues(entry, parameters, ownerOf) } }];
    }
    return [
      {
        DeleteMarker: {
          Key: encode(key),
          VersionId,
          IsLatest,
          LastModified: xmlDate(mtime),
          Owner: ownerOf?.(ownerId),
        },
      },
    ];
  });
}
