import { canonicalQuery, type QueryPair } from '../../auth/canonical-query.ts';
import type { SignableRequest } from '../../auth/raw-request.ts';
import { canonicalEncoding } from '../../auth/uri-encoding.ts';
import type { SignatureClaim } from '../../auth/verify-signature.ts';

export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

/** A canonical request in pieces, so that one of them can be put back as the client may have signed it. Latin1 text. */
export interface CanonicalParts {
  readonly method: string;
  readonly path: string;
  /** Encoded, without the signature itself. */
  readonly query: readonly QueryPair[];
  /** Clients that forget to sort the query sign it as it was sent. */
  readonly unsorted?: boolean;
  /** The signed headers. */
  readonly lines: readonly HeaderLine[];
  readonly payloadHash: string;
}

export function canonicalParts(request: SignableRequest, claim: SignatureClaim): CanonicalParts {
  return {
    method: request.method,
    path: canonicalEncoding(request.rawPath, 'path'),
    query: request.query.filter(({ name }) => name !== claim.signatureParameter),
    lines: claim.signedHeaders.map((name) => ({ name, value: request.headers.canonicalValue(name) })),
    payloadHash: claim.payloadHash,
  };
}

export function canonicalText({ method, path, query, unsorted, lines, payloadHash }: CanonicalParts): string {
  const queryText =
    unsorted === true ? query.map(({ name, value }) => `${name}=${value}`).join('&') : canonicalQuery(query);
  const headers = lines.map(({ name, value }) => `${name}:${value}\n`).join('');
  return `${method}\n${path}\n${queryText}\n${headers}\n${lines.map(({ name }) => name).join(';')}\n${payloadHash}`;
}

/** The same with another value of one signed header. */
export function withLine(parts: CanonicalParts, name: string, value: string): CanonicalParts {
  return { ...parts, lines: parts.lines.map((line) => (line.name === name ? { name, value } : line)) };
}

export function lineValue(parts: CanonicalParts, name: string): string | undefined {
  return parts.lines.find((line) => line.name === name)?.value;
}
