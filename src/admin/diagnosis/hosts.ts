import { lineValue, withLine, type CanonicalParts } from './canonical-parts.ts';
import { quotedValue, type Alteration, type Subject } from './alteration.ts';

const HOST_HEADERS = ['x-forwarded-host', 'x-original-host', 'x-host'];
const MAX_HOSTS = 32;
const ADVICE =
  'A proxy in between must pass the Host header on as it came (nginx: `proxy_set_header Host $http_host`).';

/**
 * Other hosts that the client may have signed for, the likeliest first; with them the path, when the host names the
 * bucket.
 */
export function hostAlterations(subject: Subject): Alteration[] {
  const { parts } = subject;
  const received = lineValue(parts, 'host');
  if (received === undefined) return [];
  const hosts = new Set(candidates(subject, received));
  hosts.delete(received);
  const plain = [...hosts].slice(0, MAX_HOSTS).map((host) => alteration(received, host, withLine(parts, 'host', host)));
  return [...plain, ...otherAddressing(subject, received)];
}

function alteration(received: string, signed: string, parts: CanonicalParts): Alteration {
  return {
    cause: 'changed-host',
    text: `Signed for the host ${quotedValue(signed)}, but came with ${quotedValue(received)}. ${ADVICE}`,
    parts,
  };
}

function* candidates({ request: { headers }, sources, seenHosts }: Subject, received: string): Iterable<string> {
  const port = portOf(received);
  for (const name of HOST_HEADERS) {
    const forwarded = headers.get(name)?.split(',')[0]?.trim();
    if (forwarded === undefined || forwarded === '') continue;
    yield* [forwarded, nameOf(forwarded)];
    const forwardedPort = headers.get('x-forwarded-port');
    if (forwardedPort !== undefined) yield `${nameOf(forwarded)}:${forwardedPort}`;
  }
  const standard = /host="?([^";,\s]+)/i.exec(headers.get('forwarded') ?? '')?.[1];
  if (standard !== undefined) yield standard;
  yield* [nameOf(received), received.toLowerCase()];
  const ports = [...new Set([port, ...sources.ports.map(String), '443', '80'])].filter((one) => one !== undefined);
  yield* ports.map((one) => `${nameOf(received)}:${one}`);
  yield* seenHosts;
  for (const base of [...sources.baseHosts, 'localhost', '127.0.0.1']) {
    yield base;
    yield* ports.map((one) => `${base}:${one}`);
  }
}

/** The bucket stood in the host and was moved to the path, or the other way round. */
function* otherAddressing({ parts, sources }: Subject, received: string): Iterable<Alteration> {
  const [, bucket = '', rest = ''] = /^\/([^/]+)(\/?.*)$/.exec(parts.path) ?? [];
  const port = portOf(received);
  for (const base of sources.baseHosts) {
    for (const suffix of new Set(['', port === undefined ? '' : `:${port}`])) {
      const virtual = `${bucket}.${base}${suffix}`;
      if (bucket !== '') {
        yield alteration(received, virtual, { ...withLine(parts, 'host', virtual), path: rest === '' ? '/' : rest });
      }
      if (!received.endsWith(`.${base}${suffix}`)) continue;
      const name = received.slice(0, received.length - base.length - suffix.length - 1);
      yield alteration(received, `${base}${suffix}`, {
        ...withLine(parts, 'host', `${base}${suffix}`),
        path: `/${name}${parts.path}`,
      });
    }
  }
}

export function nameOf(host: string): string {
  return host.replace(/:\d*$/, '');
}

function portOf(host: string): string | undefined {
  return /:(\d+)$/.exec(host)?.[1];
}
