import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import type { Decoded } from '../xml/decode.ts';
import { type XmlDocument, xml } from '../xml/document.ts';
import { WEBSITE_CONFIGURATION } from '../xml/website-shape.ts';

/** How a bucket is served as a website: its document, checked. Absent elements are `undefined`. */
export type Website = Decoded<typeof WEBSITE_CONFIGURATION>;
export type Redirect = NonNullable<Website['rules']>[number]['Redirect'];

const MAX_RULES = 50;
const MAX_KEY = 1024;
/** What a Location can name: letters, digits, dots, hyphens, a port, an IPv6 address in brackets. */
const HOST = /^[A-Za-z0-9.\-:[\]]{1,260}$/;
/** 300 names no place to go, 304 is no redirect, 306 is reserved, the rest is not given. */
const REDIRECT_CODE = /^30[1-3578]$/;
/** Those that S3 takes for a condition: of HTTP/1.1 as RFC 2616 had it. */
const ERROR_CODE = /^(?:4(?:0\d|1[0-7])|50[0-5])$/;

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_WebsiteConfiguration.html
 * @throws S3Error InvalidArgument, InvalidRequest, MalformedXML
 */
export function checkWebsite(website: Website): Website {
  const { RedirectAllRequestsTo: all, IndexDocument: index, ErrorDocument: error, rules = [] } = website;
  if (all !== undefined) {
    if (index !== undefined || error !== undefined || website.rules !== undefined) {
      throw invalidArgument(
        'RedirectAllRequestsTo',
        'not null',
        'RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.',
      );
    }
    checkPlace(all);
    return website;
  }
  const suffix = index?.Suffix;
  if (suffix === undefined) {
    throw invalidArgument(
      'IndexDocument',
      'null',
      'A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty',
    );
  }
  if (suffix === '' || suffix.includes('/') || suffix.length > MAX_KEY) {
    throw invalidArgument('IndexDocument', suffix, 'The IndexDocument Suffix is not well formed');
  }
  if (error !== undefined && (error.Key === '' || error.Key.length > MAX_KEY)) {
    throw invalidArgument('ErrorDocument', error.Key, 'The ErrorDocument Key is not well formed');
  }
  if (website.rules?.length === 0) throw new S3Error('MalformedXML');
  if (rules.length > MAX_RULES) {
    throw invalid(
      `${rules.length} routing rules provided, the number of routing rules in a website configuration is limited to ${MAX_RULES}.`,
    );
  }
  for (const { Condition: condition, Redirect: redirect } of rules) {
    checkCondition(condition);
    checkRedirect(redirect);
  }
  return website;
}

export function websiteDocument(website: Website): XmlDocument {
  return xml(WEBSITE_CONFIGURATION, website);
}

function checkCondition(condition: NonNullable<Website['rules']>[number]['Condition']): void {
  if (condition === undefined) return;
  const { HttpErrorCodeReturnedEquals: code, KeyPrefixEquals: prefix } = condition;
  if (code === undefined && prefix === undefined) {
    throw invalid(
      "Condition cannot be empty. To redirect all requests without a condition, the condition element shouldn't be present.",
    );
  }
  requireNumber(code);
  if (code !== undefined && !ERROR_CODE.test(code)) {
    throw invalid(`The provided HTTP error code (${code}) is not valid. Valid codes are 4XX or 5XX.`);
  }
}

function checkRedirect(redirect: Redirect): void {
  const { HttpRedirectCode: code, ReplaceKeyPrefixWith: prefix, ReplaceKeyWith: key } = redirect;
  if (Object.values(redirect).every((value) => value === undefined)) throw new S3Error('MalformedXML');
  if (prefix !== undefined && key !== undefined) {
    throw invalid('You can only define ReplaceKeyPrefix or ReplaceKey but not both.');
  }
  requireNumber(code);
  if (code !== undefined && !REDIRECT_CODE.test(code)) {
    throw invalid(`The provided HTTP redirect code (${code}) is not valid. Valid codes are 3XX except 300.`);
  }
  checkPlace(redirect);
}

/** @throws S3Error MalformedXML: a code is a number by the schema */
function requireNumber(code: string | undefined): void {
  if (code !== undefined && !/^\d{1,9}$/.test(code)) throw new S3Error('MalformedXML');
}

function checkPlace({
  HostName: host,
  Protocol: protocol,
}: {
  readonly HostName?: string | undefined;
  readonly Protocol?: string | undefined;
}): void {
  if (host !== undefined && !HOST.test(host)) {
    throw invalidArgument('HostName', host, 'The HostName is not well formed');
  }
  if (protocol !== undefined && protocol !== 'http' && protocol !== 'https') {
    throw invalid(
      'Invalid protocol, protocol can be http or https. If not defined the protocol will be selected automatically.',
    );
  }
}

function invalid(message: string): S3Error {
  return new S3Error('InvalidRequest', { message });
}

/**
 * What a request is sent to, by the first rule that fits.
 * @param error status that it would be answered with; absent: nothing was looked at yet
 */
export function redirectByRule(
  { rules = [] }: Website,
  key: string,
  error?: number,
): { readonly redirect: Redirect; readonly prefix: string } | undefined {
  for (const { Condition: condition, Redirect: redirect } of rules) {
    const { HttpErrorCodeReturnedEquals: code, KeyPrefixEquals: prefix = '' } = condition ?? {};
    const fits = code === undefined ? error === undefined : code === String(error);
    if (fits && key.startsWith(prefix)) return { redirect, prefix };
  }
  return undefined;
}
