import { type Subject, quotedValue } from './alteration.ts';
import { lineValue } from './canonical-parts.ts';
import type { Certainty, SignatureHint } from './diagnosis.ts';
import { commonlyAltered, missingHeaders } from './headers.ts';
import { nameOf } from './hosts.ts';
import type { SignableRequest } from '../../auth/raw-request.ts';

/**
 * What remains when no recomputation fits. Something that is listed as signed and did not come was removed; where there
 * are traces of a proxy, what proxies change is suspected first; else it is the secret.
 */
export function likelyCauses(subject: Subject): SignatureHint[] {
  const traces = proxyTraces(subject.request);
  const suspicion: Certainty = traces.length > 0 ? 'likely' : 'possible';
  const by = traces.length > 0 ? ` The request came through a proxy (${traces.join(', ')}).` : '';
  const hints: SignatureHint[] = [];

  const missing = missingHeaders(subject);
  if (missing.length > 0) {
    hints.push({
      cause: 'altered-header',
      certainty: 'likely',
      text: `Listed as signed, but did not come: ${missing.join(', ')}. Something in between removed it.${by}`,
    });
  }
  const host = lineValue(subject.parts, 'host');
  if (host !== undefined && !isKnownHost(host, subject)) {
    hints.push({
      cause: 'changed-host',
      certainty: suspicion,
      text: `The request came for ${quotedValue(host)}, which is none of this service's names: it may have been signed for another.${by}`,
    });
  }
  const suspects = commonlyAltered(subject.claim.signedHeaders).filter((name) => !missing.includes(name));
  if (suspects.length > 0) {
    hints.push({
      cause: 'altered-header',
      certainty: suspicion,
      text: `Signed are also headers that proxies change: ${suspects.join(', ')}.${by}`,
    });
  }
  hints.push(wrongSecret(subject, hints.some(({ certainty }) => certainty === 'likely') ? 'possible' : 'likely'));
  return hints.toSorted((a, b) => rank(a) - rank(b));
}

function wrongSecret({ claim }: Subject, certainty: Certainty): SignatureHint {
  const text = `Nothing that is known to happen on the way explains it, and the canonical request is as it was sent: the client's secret is not that of ${claim.scope.accessKeyId}.`;
  return { cause: 'wrong-secret', certainty, text };
}

function rank({ certainty }: SignatureHint): number {
  return ['proved', 'likely', 'possible'].indexOf(certainty);
}

function isKnownHost(host: string, { sources: { baseHosts }, seenHosts }: Subject): boolean {
  const name = nameOf(host.toLowerCase());
  return (
    seenHosts.includes(host) ||
    ['127.0.0.1', '[::1]', 'localhost', ...baseHosts].some((base) => name === base || name.endsWith(`.${base}`))
  );
}

const TRACES = [
  'via',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
  'x-original-host',
  'x-envoy-external-address',
  'x-amzn-trace-id',
  'x-amz-cf-id',
  'cf-ray',
  'x-cloud-trace-context',
  'x-azure-ref',
];

/** Headers that only something between client and server adds. */
function proxyTraces({ headers }: SignableRequest): string[] {
  return TRACES.filter((name) => headers.get(name) !== undefined);
}
