import { deleteBucket, getBucket, insertBucket, listBuckets, patchBucket } from './buckets.ts';
import { composeObject, rewriteObject } from './compose.ts';
import { downloadMedia, xmlObject } from './download.ts';
import type { Exchange, Handler } from './exchange.ts';
import { listObjects } from './list.ts';
import { deleteObject, getObject, patchObject, updateObject } from './objects.ts';
import { cancelResumable, continueResumable } from './resumable.ts';
import { insertObject } from './upload.ts';

export interface Route {
  readonly handler: Handler;
  readonly names: Pick<Exchange, 'bucket' | 'object' | 'targetBucket' | 'targetObject'>;
  /** Whose error documents it answers with. */
  readonly api: 'json' | 'xml';
}

type Handlers = Readonly<Record<string, Handler>>;

const B = String.raw`/storage/v1/b/(?<bucket>[^/]+)`;
const O = String.raw`${B}/o/(?<object>[^/]+)`;

/**
 * Names of objects are one segment each, percent-encoded
 * (https://cloud.google.com/storage/docs/request-endpoints#encoding).
 */
const JSON_ROUTES: readonly (readonly [RegExp, Handlers])[] = [
  [/^\/storage\/v1\/b$/, { GET: listBuckets, POST: insertBucket }],
  [new RegExp(`^${B}$`), { GET: getBucket, PATCH: patchBucket, DELETE: deleteBucket }],
  [new RegExp(`^${B}/o$`), { GET: listObjects }],
  [
    new RegExp(`^${O}$`),
    { GET: getOrDownload, HEAD: getOrDownload, PATCH: patchObject, PUT: updateObject, DELETE: deleteObject },
  ],
  [new RegExp(`^${O}/compose$`), { POST: composeObject }],
  [new RegExp(`^${O}/rewriteTo/b/(?<targetBucket>[^/]+)/o/(?<targetObject>[^/]+)$`), { POST: rewriteObject }],
  [new RegExp(`^/upload${B}/o$`), { POST: insertObject, PUT: continueResumable, DELETE: cancelResumable }],
];

/** https://cloud.google.com/storage/docs/xml-api/overview: bucket, then the name as it is, slashes and all. */
const XML_ROUTE = /^\/(?<bucket>[^/]+)\/(?<object>.+)$/;
const XML_HANDLERS: Handlers = { GET: xmlObject, HEAD: xmlObject };

function getOrDownload(exchange: Exchange): ReturnType<Handler> {
  return exchange.query.get('alt') === 'media' ? downloadMedia(exchange) : getObject(exchange);
}

/** @param path raw, without its query. @returns undefined for what the double does not know */
export function routeOf(method: string, path: string): Route | undefined {
  for (const [pattern, handlers] of JSON_ROUTES) {
    const match = pattern.exec(path);
    if (match !== null) return route(handlers[method], match.groups, 'json');
  }
  if (/^\/(?:storage|upload|batch)\//.test(path)) return undefined;
  const match = XML_ROUTE.exec(path);
  return match === null ? undefined : route(XML_HANDLERS[method], match.groups, 'xml');
}

function route(
  handler: Handler | undefined,
  groups: Readonly<Record<string, string>> | undefined,
  api: Route['api'],
): Route | undefined {
  if (handler === undefined) return undefined;
  const name = (group: string): string => decodeURIComponent(groups?.[group] ?? '');
  return {
    handler,
    api,
    names: {
      bucket: name('bucket'),
      object: name('object'),
      targetBucket: name('targetBucket'),
      targetObject: name('targetObject'),
    },
  };
}
