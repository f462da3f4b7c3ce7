import { StoreError } from '../../src/store/store-error.ts';
import { DEFAULT_ENDPOINT_SUFFIX } from './options.ts';

/** The address of the account's blobs, parsed once so that calls only put strings together. */
export interface Endpoint {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly host: string;
  /** Empty, or the path that stands before the container: `/devstoreaccount1`. */
  readonly basePath: string;
  readonly account: string;
}

interface EndpointOptions {
  readonly endpoint?: string | undefined;
  readonly account?: string | undefined;
  readonly endpointSuffix?: string | undefined;
}

/** @throws Error when the account or the endpoint cannot be told. */
export function resolveEndpoint(options: EndpointOptions): Endpoint {
  const url = new URL(options.endpoint ?? defaultUrl(options));
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`endpoint: scheme of ${url.origin} is not http(s)`);
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Error('endpoint: expected only scheme, host, port and path');
  }
  const basePath = url.pathname.replace(/\/+$/, '');
  const account = options.account ?? accountOf(url.hostname, basePath);
  if (account === undefined) throw new Error(`endpoint: name the account, ${url.host} does not show it`);
  return { origin: url.origin, host: url.host, basePath, account };
}

function defaultUrl(options: EndpointOptions): string {
  if (options.account === undefined) throw new Error('endpoint or account is needed');
  return `https://${options.account}.blob.${options.endpointSuffix ?? DEFAULT_ENDPOINT_SUFFIX}`;
}

function accountOf(hostname: string, basePath: string): string | undefined {
  if (basePath !== '') return basePath.slice(1).split('/')[0];
  return /^([a-z0-9]{3,24})(?:-secondary)?(?:\.z[0-9]+)?(?:\.privatelink)?\.blob\./.exec(hostname)?.[1];
}

const PLAIN = /^[A-Za-z0-9._~/-]+$/;
/** Names of versions' own blobs: every request of a bucket that keeps versions has one or two. */
const PLAIN_BUT_MARKS = /^[A-Za-z0-9._~/!-]+$/;
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;
/** UTF-16 code units; the service counts so. */
export const MAX_NAME_LENGTH = 1024;
/** 3 to 63 lower-case letters, digits and single hyphens. */
export const CONTAINER_NAME = /^(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Percent-encodes every byte outside `A-Za-z0-9-._~/`. No URL parser ever sees a name: parsers fold
 * dot segments and back-slashes, which leads into other containers.
 * @throws StoreError invalidName for what no key codec lets through: empty, too long, dot segments, lone surrogates
 */
export function encodeName(name: string): string {
  if (name === '' || name.length > MAX_NAME_LENGTH || DOT_SEGMENT.test(name)) throw new StoreError('invalidName');
  if (PLAIN.test(name)) return name;
  if (PLAIN_BUT_MARKS.test(name)) return name.replaceAll('!', '%21');
  try {
    return encodeURIComponent(name).replace(/%2F|[!'()*]/g, (found) => ENCODINGS[found] ?? found);
  } catch (cause) {
    throw new StoreError('invalidName', { cause });
  }
}

const ENCODINGS: Readonly<Record<string, string>> = {
  '%2F': '/',
  '!': '%21',
  "'": '%27',
  '(': '%28',
  ')': '%29',
  '*': '%2A',
};

/** @throws StoreError invalidName */
export function containerPath(endpoint: Endpoint, container: string): string {
  if (!CONTAINER_NAME.test(container)) throw new StoreError('invalidName');
  return `${endpoint.basePath}/${container}`;
}

export function blobPath(endpoint: Endpoint, ref: { readonly container: string; readonly name: string }): string {
  return `${containerPath(endpoint, ref.container)}/${encodeName(ref.name)}`;
}
