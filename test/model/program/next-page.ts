import type { Facts, Json } from '../reference/answer.ts';
import type { Call } from '../reference/calls.ts';

/** The next page of a listing, as the answer for this one says; undefined when this was the last. */
export function nextPage(call: Call, body: Json | undefined): Call | undefined {
  const facts = asFacts(body);
  if (facts['isTruncated'] !== true) return undefined;
  const text = (name: string): string => asText(facts[name]);
  switch (call.op) {
    case 'ListObjects':
      return { ...call, marker: text('nextMarker') || lastKey(facts['objects']) };
    case 'ListObjectsV2':
      return { ...call, continuationToken: text('nextContinuationToken') };
    case 'ListObjectVersions':
      return { ...call, keyMarker: text('nextKeyMarker'), versionIdMarker: text('nextVersionIdMarker') };
    case 'ListMultipartUploads':
      return { ...call, keyMarker: text('nextKeyMarker'), uploadIdMarker: text('nextUploadIdMarker') };
    default:
      return undefined;
  }
}

/** Without a delimiter ListObjects names no marker: its last key is it. */
function lastKey(objects: Json | undefined): string {
  return Array.isArray(objects) ? asText(asFacts(objects.at(-1) as Json | undefined)['key']) : '';
}

function asFacts(json: Json | undefined): Facts {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Facts) : {};
}

function asText(json: Json | undefined): string {
  return typeof json === 'string' ? json : '';
}
