import { isFieldName } from '../headers/field-text.ts';

/** What pages of some origins may do with a bucket (S3 API reference, CORSRule). */
export interface CorsRule {
  readonly id?: string | undefined;
  /** Of `CORS_METHODS`; never empty. */
  readonly allowedMethods: readonly string[];
  /** With one `*` each at most, which stands for any characters; never empty. */
  readonly allowedOrigins: readonly string[];
  /** Likewise, whatever their case. */
  readonly allowedHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly maxAgeSeconds?: number | undefined;
}

export const CORS_METHODS: readonly string[] = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'];

/** What a browser says of a request that a page wants to make, or makes. */
interface CorsRequest {
  readonly origin: string;
  readonly method: string;
  /** `Access-Control-Request-Headers`. */
  readonly requestHeaders: string | undefined;
}

/** What answers depend on, so that no cache gives the one of one page to another. */
export const CORS_VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

/**
 * Most headers that a preflight may name: each is held against each that a rule allows. Browsers send those of one
 * request.
 */
const MAX_REQUEST_HEADERS = 100;

/**
 * The headers that let a page read the answer: of the first rule that allows origin, method and headers together.
 * @returns undefined when none does
 */
export function corsHeaders(rules: readonly CorsRule[], request: CorsRequest): Record<string, string> | undefined {
  const names = headerNames(request.requestHeaders);
  if (names === undefined) return undefined;
  const rule = rules.find((one) => allows(one, request, names));
  return rule && answerTo(rule, request, names);
}

function answerTo(rule: CorsRule, { origin }: CorsRequest, names: readonly string[]): Record<string, string> {
  const { allowedOrigins, allowedMethods, exposeHeaders, maxAgeSeconds } = rule;
  const forAll = allowedOrigins.includes('*');
  return {
    'access-control-allow-origin': forAll ? '*' : origin,
    'access-control-allow-methods': allowedMethods.join(', '),
    ...(names.length > 0 && { 'access-control-allow-headers': names.join(', ') }),
    ...(exposeHeaders.length > 0 && { 'access-control-expose-headers': exposeHeaders.join(', ') }),
    ...(maxAgeSeconds !== undefined && { 'access-control-max-age': String(maxAgeSeconds) }),
    ...(!forAll && { 'access-control-allow-credentials': 'true' }),
    vary: CORS_VARY,
  };
}

function allows(rule: CorsRule, { origin, method }: CorsRequest, names: readonly string[]): boolean {
  return (
    rule.allowedMethods.includes(method) &&
    rule.allowedOrigins.some((pattern) => fits(pattern, origin)) &&
    (names.length === 0 ||
      allowsAll(
        rule.allowedHeaders.map((pattern) => pattern.toLowerCase()),
        names,
      ))
  );
}

function allowsAll(patterns: readonly string[], names: readonly string[]): boolean {
  return names.every((name) => patterns.some((pattern) => fits(pattern, name)));
}

/**
 * A name that cannot be one of a header. @param header `Access-Control-Request-Headers` @returns undefined: there is
 * none
 */
export function badHeaderName(header: string | undefined): string | undefined {
  return header?.split(',').find((name) => name.trim() !== '' && !isFieldName(name.trim()));
}

/** In lower case, without repeats; undefined for more than anybody looks at. */
function headerNames(header: string | undefined): readonly string[] | undefined {
  if (header === undefined) return [];
  const names = new Set(header.split(',').map((name) => name.trim().toLowerCase()));
  names.delete('');
  return names.size > MAX_REQUEST_HEADERS ? undefined : [...names];
}

function fits(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === text;
  return (
    text.length >= pattern.length - 1 &&
    text.startsWith(pattern.slice(0, star)) &&
    text.endsWith(pattern.slice(star + 1))
  );
}
