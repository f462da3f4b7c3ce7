import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import { type ObjectView, requireKey, storageClassOf } from '../../manifest/index.ts';
import { httpDate } from '../../protocol/headers/object-headers.ts';
import type { HeaderReader } from '../../protocol/request.ts';
import { type XmlValue, xml } from '../../protocol/xml/document.ts';
import { GET_OBJECT_ATTRIBUTES_RESULT } from '../../protocol/xml/object-shapes.ts';
import { authorizedObject } from '../authorized-object.ts';
import { readCount } from '../bucket/list-parameters.ts';
import { checksumElements } from '../answer-values.ts';
import { versionHeaders, versionTarget } from '../object-version.ts';
import { shownKey } from '../encryption.ts';
import type { Operation } from '../operation.ts';
import { requireAlso } from '../permission.ts';
import { readConditions, requireConditions } from './read-request.ts';

const HEADER = 'x-amz-object-attributes';
const DEFAULT_MAX_PARTS = 1000;

/** What each name of `x-amz-object-attributes` adds to the answer. */
const ATTRIBUTES: Readonly<Record<string, (view: ObjectView, headers: HeaderReader) => Record<string, XmlValue>>> = {
  ETag: (view) => ({ ETag: view.etag }),
  Checksum: (view) =>
    view.checksum === undefined
      ? {}
      : { Checksum: { ...checksumElements(view.checksum), ChecksumType: view.checksum.type } },
  ObjectParts: (view, headers) => (view.parts === undefined ? {} : { ObjectParts: objectParts(view, headers) }),
  StorageClass: (view) => ({ StorageClass: storageClassOf(view) }),
  ObjectSize: (view) => ({ ObjectSize: view.size }),
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html */
export const getObjectAttributes: Operation = async (request, context) => {
  const { bucket } = context;
  const target = versionTarget(request, context);
  const wanted = wantedAttributes(request.headers.get(HEADER));
  const shown = shownKey({ headers: request.headers }, context);
  const view = await authorizedObject(target, context);
  requireAlso('object', { bucket, versionId: target.versionId, object: view }, context);
  requireKey(view.encryption?.by, shown);
  requireConditions(view, readConditions(request.headers));
  const value = Object.assign({}, ...wanted.map((name) => ATTRIBUTES[name]?.(view, request.headers))) as Record<
    string,
    XmlValue
  >;
  return {
    status: 200,
    headers: { 'last-modified': httpDate(view.mtime), ...versionHeaders(bucket, view.versionId) },
    body: xml(GET_OBJECT_ATTRIBUTES_RESULT, value),
  };
};

function wantedAttributes(header: string | undefined): string[] {
  const names = (header ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) {
    throw new S3Error('InvalidRequest', {
      message: `The ${HEADER} header specifying the attributes to be retrieved is either missing or empty`,
    });
  }
  const unknown = names.find((name) => !Object.hasOwn(ATTRIBUTES, name));
  if (unknown !== undefined) throw invalidArgument(HEADER, unknown, 'Invalid attribute name specified.');
  return names;
}

function objectParts({ parts = [], checksum }: ObjectView, headers: HeaderReader): XmlValue {
  const max = Math.min(readCount(headers, 'x-amz-max-parts', DEFAULT_MAX_PARTS), DEFAULT_MAX_PARTS);
  const marker = readCount(headers, 'x-amz-part-number-marker', 0);
  const rest = parts.filter((part) => part.number > marker);
  const page = rest.slice(0, max);
  return {
    PartsCount: parts.length,
    PartNumberMarker: marker,
    NextPartNumberMarker: page.at(-1)?.number ?? 0,
    MaxParts: max,
    // Who asks for none gets a page that is whole, as from all listings.
    IsTruncated: max > 0 && rest.length > page.length,
    Part: page.map((part) => ({
      PartNumber: part.number,
      Size: part.size,
      ...(checksum !== undefined &&
        part.checksum !== undefined &&
        checksumElements({ ...checksum, value: part.checksum })),
    })),
  };
}
