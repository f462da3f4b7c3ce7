import type { RequestDetail } from '../../../inspector/contract.ts';

const DEFAULT_REGION = 'us-east-1';
/** Query parameters that are a presigned URL's own. */
const SIGNING_PARAMETER =
  /^(?:x-amz-(?:algorithm|credential|date|expires|signedheaders|signature|security-token)|awsaccesskeyid|signature|expires)$/i;

/** What both commands are made of. Nothing that was replaced (a credential) is in it. */
interface RequestParts {
  /** Undefined where the Host header names another server: nobody's keys may sign anything for that one. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** Percent-encoded, as sent. Begins with `/`: behind an endpoint, anything else would change the host. */
  readonly path: string;
  /** Without what presigned it; encoded as sent. */
  readonly query: readonly string[];
  /** The last one of a name counts. Names lower-case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly signed: boolean;
  readonly hasBody: boolean;
}

export function requestParts({ request, authentication, body }: RequestDetail): RequestParts {
  const headers = new Map(
    request.headers.filter(([, value]) => !isReplaced(value)).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const [path = '/', query = ''] = pathAndQuery(request.target).split(/\?(.*)/s);
  const authorization = request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const presigned = query.split('&').some((parameter) => SIGNING_PARAMETER.test(parameterName(parameter)));
  return {
    endpoint: request.ownHost === true ? `${request.scheme ?? 'http'}://${headers.get('host') ?? ''}` : undefined,
    region: regionOf(`${authorization ?? ''} ${query}`) ?? DEFAULT_REGION,
    path,
    query: query
      .split('&')
      .filter(
        (parameter) => parameter !== '' && !SIGNING_PARAMETER.test(parameterName(parameter)) && !isReplaced(parameter),
      ),
    headers,
    signed: authentication.verdict !== 'anonymous' && (authorization !== undefined || presigned),
    hasBody: (body.sentBytes ?? Number(headers.get('content-length') ?? 0)) > 0 || headers.has('transfer-encoding'),
  };
}

/** Without the authority that proxies are sent, which the Host header repeats. */
function pathAndQuery(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Decoded name of `name=value`. */
export function parameterName(parameter: string): string {
  return decode(parameter.split('=', 1)[0] ?? '');
}

export function parameterValue(parameter: string): string {
  return decode(parameter.slice(parameter.indexOf('=') + 1 || parameter.length));
}

function isReplaced(value: string): boolean {
  return /<\d+ chars, sha256 [0-9a-f]{8}>/.test(value);
}

function regionOf(text: string): string | undefined {
  return /Credential=[^/,\s%]+(?:\/|%2F)\d{8}(?:\/|%2F)([a-z0-9-]+)(?:\/|%2F)s3/i.exec(text)?.[1];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
