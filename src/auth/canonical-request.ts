import { canonicalQuery } from './canonical-query.ts';
import type { SignableRequest } from './raw-request.ts';
import { canonicalEncoding } from './uri-encoding.ts';

interface CanonicalOptions {
  /** Names as listed by the client, in its order. */
  readonly signedHeaders: readonly string[];
  /** The literal hash line: a digest, `UNSIGNED-PAYLOAD` or a `STREAMING-...` value. */
  readonly payloadHash: string;
  /** The query parameter that carries the signature itself. */
  readonly signatureParameter?: string;
}

/** What a proxy adds to a host whose client named none, because it goes without saying. */
const DEFAULT_PORT = /:(?:80|443)$/;

/**
 * The canonical requests a client may have signed, most likely first, as latin1 text. Clients differ in how they encode
 * `~ ' ( ) * !` in the path: the second form, if there is one, has the path verbatim. Both stand for the same key,
 * because the key is the decoded path. Behind them come the same without the port that a proxy may have added to the
 * host; no request is served otherwise because of it.
 */
export function canonicalRequests(request: SignableRequest, options: CanonicalOptions): readonly string[] {
  const forms = formsOf(request, options);
  const host = request.headers.canonicalValue('host');
  if (!DEFAULT_PORT.test(host)) return forms;
  const bare = `\nhost:${host.replace(DEFAULT_PORT, '')}\n`;
  return [...forms, ...forms.map((form) => form.replace(`\nhost:${host}\n`, () => bare))];
}

function formsOf(request: SignableRequest, options: CanonicalOptions): readonly string[] {
  const { query, headers } = request;
  const parameters = query.length === 0 ? '' : canonicalQuery(query, options.signatureParameter);
  let lines = '';
  for (const name of options.signedHeaders) lines += `${name}:${headers.canonicalValue(name)}\n`;
  const rest = `\n${parameters}\n${lines}\n${options.signedHeaders.join(';')}\n${options.payloadHash}`;
  const path = canonicalEncoding(request.rawPath, 'path');
  const first = `${request.method}\n${path}${rest}`;
  return path === request.rawPath || request.rawPath === ''
    ? [first]
    : [first, `${request.method}\n${request.rawPath}${rest}`];
}
