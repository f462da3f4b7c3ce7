import { STATUS_CODES } from 'node:http';
import { S3Error } from '../../errors/s3-error.ts';
import { encodeForListing } from '../../protocol/percent.ts';
import { type Redirect, type Website, redirectByRule } from '../../protocol/website/website.ts';
import { escapeXml } from '../../protocol/xml/encode.ts';
import type { S3Request } from '../../protocol/request.ts';
import { type S3Response, isByteSource } from '../../protocol/response.ts';
import { heldBytes } from '../../streams/bytes.ts';
import { toS3Error } from '../failure.ts';
import { getObject } from '../object/get-object.ts';
import type { OperationContext, RequestContext } from '../operation.ts';
import { inBucket } from '../perform.ts';

/** What stands in an error page. */
interface PageIds {
  readonly requestId: string;
  readonly hostId: string;
}

/**
 * Answers one request to a bucket's website: with an object, an index or error document, or a redirect. Every request
 * counts as anonymous here, even a signed one.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/WebsiteHosting.html
 */
export async function serveWebsite(request: S3Request, ids: PageIds, context: RequestContext): Promise<S3Response> {
  const { method } = request;
  try {
    if (method !== 'GET' && method !== 'HEAD') {
      throw new S3Error('MethodNotAllowed', {
        extra: { Method: method, ResourceType: 'OBJECT' },
        headers: { allow: 'GET, HEAD' },
      });
    }
    const inIt = await inBucket(request, context);
    const { website } = inIt.bucket.settings;
    if (website === undefined) {
      throw new S3Error('NoSuchWebsiteConfiguration', { extra: { BucketName: request.address.bucket ?? '' } });
    }
    return await page({ website, request, context: inIt, ids });
  } catch (error) {
    return errorPage(s3ErrorOf(error), ids);
  }
}

/** Does the work for a visit. What goes wrong on the way is told as a page. @throws what nobody foresaw */
export async function orErrorPage(ids: PageIds, work: () => Promise<S3Response>): Promise<S3Response> {
  try {
    return await work();
  } catch (error) {
    return errorPage(s3ErrorOf(error), ids);
  }
}

/** Unforeseen errors are answered, and logged, as everywhere. */
function s3ErrorOf(error: unknown): S3Error {
  const failure = toS3Error(error);
  if (failure.code === 'InternalError') throw error;
  return failure;
}

interface Visit {
  readonly website: Website;
  readonly request: S3Request;
  readonly context: OperationContext;
  readonly ids: PageIds;
}

async function page(visit: Visit): Promise<S3Response> {
  const {
    website,
    request: {
      address: { key = '' },
    },
  } = visit;
  const { RedirectAllRequestsTo: all, IndexDocument: index } = website;
  if (all !== undefined) return sentTo(visit, { ...all }, key);
  const ruled = redirectByRule(website, key);
  if (ruled !== undefined) return sentTo(visit, ruled.redirect, replaced(ruled, key));
  const suffix = index?.Suffix ?? '';
  const isFolder = key === '' || key.endsWith('/');
  try {
    return redirected(await object(visit, isFolder ? key + suffix : key));
  } catch (thrown) {
    const error = s3ErrorOf(thrown);
    if (error.status !== 404 && error.status !== 403) throw error;
    if (!isFolder && (await isThere(visit, `${key}/${suffix}`))) {
      return { status: 302, headers: { location: `${pathOf(key)}/` } };
    }
    return onError(visit, key, error);
  }
}

/** The error document, with the status of the error; or where a rule, or that document, sends such errors. */
async function onError(visit: Visit, key: string, error: S3Error): Promise<S3Response> {
  const ruled = redirectByRule(visit.website, key, error.status);
  if (ruled !== undefined) return sentTo(visit, ruled.redirect, replaced(ruled, key));
  const document = visit.website.ErrorDocument?.Key;
  if (document === undefined) throw error;
  try {
    const found = await object({ ...visit, request: { ...visit.request, headers: NO_HEADERS } }, document);
    const { status, headers, body } = redirected({ ...found, status: error.status });
    return { status, ...(headers && { headers }), ...(body && { body }) };
  } catch (thrown) {
    return errorPage(error, visit.ids, s3ErrorOf(thrown));
  }
}

/** Two slashes at its beginning would make a host of what follows: a key's own first slash is escaped. */
function pathOf(key: string): string {
  return `/${encodeForListing(key).replace(/^\//, '%2F')}`;
}

const NO_HEADERS = { get: () => undefined, startingWith: () => [] };

function object({ request, context }: Visit, key: string): Promise<S3Response> {
  const address = { ...request.address, key };
  return getObject({ ...request, address }, { ...context, asked: { ...context.asked, key } });
}

async function isThere(visit: Visit, key: string): Promise<boolean> {
  try {
    const { body } = await object({ ...visit, request: { ...visit.request, headers: NO_HEADERS } }, key);
    if (body !== undefined && isByteSource(body)) body.discard();
    return true;
  } catch (thrown) {
    s3ErrorOf(thrown);
    return false;
  }
}

/** An object may say that it lies elsewhere. */
function redirected(answer: S3Response): S3Response {
  const location = answer.headers?.['x-amz-website-redirect-location'];
  if (location === undefined) return answer;
  if (answer.body !== undefined && isByteSource(answer.body)) answer.body.discard();
  return { status: 301, headers: { location } };
}

function replaced({ redirect, prefix }: { readonly redirect: Redirect; readonly prefix: string }, key: string): string {
  const { ReplaceKeyWith: whole, ReplaceKeyPrefixWith: part } = redirect;
  return whole ?? (part === undefined ? key : part + key.slice(prefix.length));
}

function sentTo({ request }: Visit, redirect: Partial<Redirect>, key: string): S3Response {
  const {
    HostName: host = request.host,
    Protocol: protocol = request.scheme,
    HttpRedirectCode: code = '301',
  } = redirect;
  return {
    status: Number(code),
    headers: { location: `${protocol}://${host}/${encodeForListing(key.toWellFormed())}` },
  };
}

/** @param ofDocument why the error document could not be shown; absent: there is none (the page of S3 was recorded) */
function errorPage(error: S3Error, { requestId, hostId }: PageIds, ofDocument?: S3Error): S3Response {
  const title = `${error.status} ${STATUS_CODES[error.status] ?? 'Error'}`;
  const facts = list({ ...factsOf(error), RequestId: requestId, HostId: hostId });
  const second = ofDocument === undefined ? '' : `${SECOND_TITLE}\n${list(factsOf(ofDocument))}`;
  const html = `<html>\n<head><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n${facts}${second}<hr/>\n</body>\n</html>\n`;
  return {
    status: error.status,
    headers: { ...error.headers, 'content-type': 'text/html; charset=utf-8' },
    body: heldBytes(Buffer.from(html)),
  };
}

const SECOND_TITLE = '<h3>An Error Occurred While Attempting to Retrieve a Custom Error Document</h3>';

type Facts = Readonly<Record<string, string | number>>;

function factsOf({ code, message, extra }: S3Error): Facts {
  return { Code: code, Message: message, ...extra };
}

function list(facts: Facts): string {
  const items = Object.entries(facts).map(
    ([name, value]) => `<li>${escapeXml(name)}: ${escapeXml(String(value).slice(0, 4096).toWellFormed())}</li>\n`,
  );
  return `<ul>\n${items.join('')}</ul>\n`;
}
