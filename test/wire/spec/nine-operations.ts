import type { Asked, Headers, World } from './world.ts';

/** What there is for one of the nine operations to work on. */
export interface Place {
  readonly bucket: string;
  /** `/bucket/key`, an object with tags. */
  readonly object: string;
  /** `/bucket/big?uploadId=...`, with a part. */
  readonly upload: string;
}

interface NineOperation {
  readonly name: string;
  readonly method: string;
  readonly on: (place: Place) => string;
  readonly headers?: (place: Place) => Headers;
  /** Status when it succeeds. */
  readonly status: number;
}

const object = ({ object }: Place): string => object;

export const NINE_OPERATIONS: readonly NineOperation[] = [
  {
    name: 'UploadPartCopy',
    method: 'PUT',
    on: ({ upload }) => `${upload}&partNumber=2`,
    headers: (place) => ({ 'x-amz-copy-source': object(place) }),
    status: 200,
  },
  {
    name: 'PutObjectAcl',
    method: 'PUT',
    on: (place) => `${object(place)}?acl`,
    headers: () => ({ 'x-amz-acl': 'public-read' }),
    status: 200,
  },
  { name: 'GetObjectAcl', method: 'GET', on: (place) => `${object(place)}?acl`, status: 200 },
  { name: 'ListParts', method: 'GET', on: ({ upload }) => upload, status: 200 },
  {
    name: 'CopyObject',
    method: 'PUT',
    on: ({ bucket }) => `/${bucket}/copy`,
    headers: (place) => ({ 'x-amz-copy-source': object(place) }),
    status: 200,
  },
  { name: 'DeleteObject', method: 'DELETE', on: object, status: 204 },
  { name: 'GetObjectTagging', method: 'GET', on: (place) => `${object(place)}?tagging`, status: 200 },
  { name: 'DeleteObjectTagging', method: 'DELETE', on: (place) => `${object(place)}?tagging`, status: 204 },
  { name: 'AbortMultipartUpload', method: 'DELETE', on: ({ upload }) => upload, status: 204 },
];

export async function newPlace(world: World): Promise<Place> {
  const bucket = await world.bucket();
  const place = { bucket, object: `/${bucket}/key`, upload: await world.upload(`/${bucket}/big`) };
  await world.put(place.object, 'bytes', { 'x-amz-tagging': 'k=v' });
  await world.must('PUT', `${place.upload}&partNumber=1`, { body: 'part' });
  return place;
}

/** The request, with more headers. */
export function requestOf(
  { method, on, headers }: NineOperation,
  place: Place,
  more: Headers = {},
): [method: string, target: string, asked: Asked] {
  return [method, on(place), { headers: { ...headers?.(place), ...more } }];
}

/** All that any of the nine operations could change, as text. */
export async function stateOf(world: World, { bucket, object: target, upload }: Place): Promise<string> {
  const answers = [];
  for (const one of [target, `${target}?acl`, `${target}?tagging`, `/${bucket}/copy`, upload]) {
    const { outcome, body } = await world.ask('GET', one);
    answers.push(outcome.startsWith('200') ? body : outcome);
  }
  return answers.join('\n');
}
