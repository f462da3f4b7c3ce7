import { hash } from 'node:crypto';
import { UNSIGNED_PAYLOAD } from '../../auth/payload-mode.ts';
import { quotedValue, type Alteration, type Subject } from './alteration.ts';
import type { CanonicalParts } from './canonical-parts.ts';
import type { Cause, SignatureHint } from './diagnosis.ts';
import { headerAlterations } from './headers.ts';
import { hostAlterations } from './hosts.ts';
import { pathAlterations } from './paths.ts';
import type { Probe } from './probe.ts';
import { queryAlterations } from './queries.ts';
import { otherSecrets } from './secrets.ts';

const EMPTY_SHA256 = hash('sha256', '', 'hex');
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
/** Of pairs of alterations: a proxy that changes the host often changes one thing more. */
const IN_PAIRS = { hosts: 4, paths: 6, headers: 8 };

/** Whether the signature is right for the request as it came, in either form of its path. */
export function fitsAsSent(subject: Subject, probe: Probe, secret: string): boolean {
  return fitsEither(subject, probe, { parts: subject.parts, secret });
}

/** What must be undone for the signature to fit; undefined when none of the known alterations explains it. */
export function findAlteration(subject: Subject, probe: Probe, secret: string): readonly SignatureHint[] | undefined {
  const fits = (parts: CanonicalParts): boolean => fitsEither(subject, probe, { parts, secret });
  const hosts = hostAlterations(subject);
  const paths = pathAlterations(subject);
  const headers = headerAlterations(subject);

  const single = [...hosts, ...formAlterations(subject), ...paths, ...headers, ...queryAlterations(subject)].find(
    ({ parts }) => fits(parts),
  );
  if (single !== undefined) return [proved(single)];
  const spoilt = otherSecrets(secret, subject.claim.scope.accessKeyId, subject.sources).find((other) =>
    fitsAsSent(subject, probe, other.secret),
  );
  if (spoilt !== undefined) return [proved({ cause: 'wrong-secret', text: spoilt.text })];
  const others = [...paths.slice(0, IN_PAIRS.paths), ...headers.slice(0, IN_PAIRS.headers)];
  for (const host of hosts.slice(0, IN_PAIRS.hosts)) {
    const other = others.find(({ parts }) => fits(combined(subject.parts, parts, host.parts)));
    if (other !== undefined) return [proved(host), proved(other)];
  }
  return undefined;
}

export function proved({ cause, text }: { readonly cause: Cause; readonly text: string }): SignatureHint {
  return { cause, certainty: 'proved', text };
}

/** What one alteration changed, together with the host and path of another. */
function combined(original: CanonicalParts, changed: CanonicalParts, host: CanonicalParts): CanonicalParts {
  const hostLine = host.lines.find(({ name }) => name === 'host');
  return {
    ...changed,
    path: changed.path === original.path ? host.path : changed.path,
    lines: changed.lines.map((line) => (line.name === 'host' ? (hostLine ?? line) : line)),
  };
}

/** Clients sign the path re-encoded or as they send it: an alteration that leaves it alone is tried with both. */
function fitsEither(
  { parts: { path }, request }: Subject,
  probe: Probe,
  { parts, secret }: { parts: CanonicalParts; secret: string },
): boolean {
  if (probe.fits({ parts, secret })) return true;
  return (
    parts.path === path &&
    request.rawPath !== path &&
    probe.fits({ parts: { ...parts, path: request.rawPath }, secret })
  );
}

/** Method, payload line and the list of headers. */
function formAlterations({ parts, request }: Subject): Alteration[] {
  const methods = METHODS.filter((method) => method !== parts.method).map(
    (method): Alteration => ({
      cause: 'changed-method',
      text: `Signed for ${method}, but came as ${parts.method}: the method was changed on the way, or the URL was presigned for another one.`,
      parts: { ...parts, method },
    }),
  );
  const payloads = [UNSIGNED_PAYLOAD, EMPTY_SHA256]
    .filter((payload) => payload !== parts.payloadHash)
    .map(
      (payloadHash): Alteration => ({
        cause: 'payload-hash',
        text: `Signed with the payload hash ${quotedValue(payloadHash)}, but the request says ${quotedValue(parts.payloadHash)}.`,
        parts: { ...parts, payloadHash },
      }),
    );
  const lines = parts.lines
    .map(({ name }) => name.toLowerCase())
    .toSorted()
    .map((name) => ({ name, value: request.headers.canonicalValue(name) }));
  const unordered = lines.some(({ name }, index) => name !== parts.lines[index]?.name);
  const list: Alteration = {
    cause: 'malformed',
    text: 'SignedHeaders must list the names in lower case, sorted.',
    parts: { ...parts, lines },
  };
  return [...methods, ...payloads, ...(unordered ? [list] : [])];
}
