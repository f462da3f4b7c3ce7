import { headerOf } from '../../observe/raw-headers.ts';
import { redactCanonicalRequest, redactText } from '../../observe/redact.ts';
import type { RequestFacts, RequestObserver } from '../../observe/request-facts.ts';
import { signableRequest, type RawRequest, type SignableRequest } from '../../auth/raw-request.ts';
import { TOKEN_HEADER, credentialOf, presignedToken } from '../../auth/session-token.ts';
import { stringToSign } from '../../auth/signature.ts';
import type { SignatureClaim } from '../../auth/verify-signature.ts';
import { isS3Error } from '../../errors/s3-error.ts';
import type { Subject } from './alteration.ts';
import { canonicalParts, canonicalText } from './canonical-parts.ts';
import { readSignatureClaim } from './claim.ts';
import type { DiagnosisSources, RefusedSignature, SignatureDiagnosis, SignatureHint } from './diagnosis.ts';
import { explainRefusal } from './explain.ts';
import { proneToChange } from './headers.ts';
import { Probe } from './probe.ts';
import { explainForm } from './form.ts';

const PER_SECOND = 50;
const CPU_MS_PER_SECOND = 150;
const MAX_HOSTS = 16;
/** Refusals that come after authentication, while the body is read. */
const OF_THE_BODY: ReadonlySet<unknown> = new Set(['SignatureDoesNotMatch', 'XAmzContentSHA256Mismatch']);

interface DiagnoserOptions {
  /** Failures that are explained within a second; the others get no hints. */
  readonly perSecond?: number;
  /** Milliseconds of a core that may go into them within a second: a request can be made to be costly. */
  readonly cpuMsPerSecond?: number;
}

/**
 * Explains to operators why a signature was refused. None of this may reach an S3 client: it would tell an attacker
 * which guess of a signature came close.
 */
export class SignatureDiagnoser implements RequestObserver {
  readonly #sources: DiagnosisSources;
  readonly #perSecond: number;
  readonly #cpuMsPerSecond: number;
  /** Under which requests were signed rightly: what a broken one may have been signed for. */
  readonly #seenHosts = new Set<string>();
  #second = 0;
  #explained = 0;
  #spentMs = 0;

  constructor(
    sources: DiagnosisSources,
    { perSecond = PER_SECOND, cpuMsPerSecond = CPU_MS_PER_SECOND }: DiagnoserOptions = {},
  ) {
    this.#sources = sources;
    this.#perSecond = perSecond;
    this.#cpuMsPerSecond = cpuMsPerSecond;
  }

  /** Remembers the host of a request that was signed rightly. */
  ended({ auth, head: { rawHeaders } }: Pick<RequestFacts, 'auth' | 'head'>): void {
    if (auth?.identity?.kind !== 'account' || this.#seenHosts.size >= MAX_HOSTS) return;
    const host = headerOf(rawHeaders, 'host');
    if (host !== undefined) this.#seenHosts.add(host);
  }

  /** Undefined when the request was not refused for its signature. To be called once, when a failure is to be kept. */
  explain({ auth, failure, head }: Pick<RequestFacts, 'auth' | 'failure' | 'head'>): SignatureDiagnosis | undefined {
    const refusal = auth?.failure ?? (OF_THE_BODY.has(failure?.code) ? failure : undefined);
    const raw = {
      method: head.method,
      rawTarget: originForm(head.target),
      rawHeaders: head.rawHeaders,
      now: head.arrivedAt,
    };
    if (refusal !== undefined) return this.diagnose(raw, refusal);
    // Let in as anonymous, then refused: perhaps it was signed when it set out.
    if (auth?.method !== 'anonymous' || failure?.code !== 'AccessDenied') return undefined;
    const hints = explainForm(signableRequest(raw), failure);
    return hints.length === 0 ? undefined : { commonlyAltered: [], hints };
  }

  diagnose(raw: RawRequest, refusal: RefusedSignature): SignatureDiagnosis {
    const request = signableRequest(raw);
    const claim = readSignatureClaim(request);
    if (claim === undefined) return { commonlyAltered: [], hints: explainForm(request, refusal) };
    const canonical = canonicalText(canonicalParts(request, claim));
    return {
      canonicalRequest: readable(redactCanonicalRequest(canonical)),
      stringToSign: stringToSign(claim.amzDate, claim.scope.text, canonical),
      commonlyAltered: proneToChange(claim.signedHeaders),
      hints: this.#withinBounds(() => this.#hints({ raw, request, claim, refusal })) ?? [],
    };
  }

  #hints({
    raw,
    request,
    claim,
    refusal,
  }: {
    raw: RawRequest;
    request: SignableRequest;
    claim: SignatureClaim;
    refusal: RefusedSignature;
  }): SignatureHint[] {
    const subject = {
      raw,
      request,
      claim,
      parts: canonicalParts(request, claim),
      sources: this.#sources,
      seenHosts: [...this.#seenHosts],
    };
    const secret = secretOf(subject);
    const hints = explainRefusal({ subject, probe: new Probe(claim), secret, refusal });
    return hints.map((hint) => ({ ...hint, text: readable(redactText(hint.text)) }));
  }

  #withinBounds<T>(work: () => T): T | undefined {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#explained = 0;
      this.#spentMs = 0;
    }
    if (this.#explained >= this.#perSecond || this.#spentMs >= this.#cpuMsPerSecond) return undefined;
    this.#explained += 1;
    // Not the time that went by: on a busy machine that is mostly the time of others.
    const before = process.threadCpuUsage();
    const done = work();
    this.#spentMs += process.threadCpuUsage(before).user / 1000;
    return done;
  }
}

/** Of the lasting key that is named, or of the temporary one that the token was made with; undefined: there is none. */
function secretOf({ request, claim, sources }: Pick<Subject, 'request' | 'claim' | 'sources'>): string | undefined {
  try {
    const token = claim.method === 'query' ? presignedToken(request) : request.headers.get(TOKEN_HEADER);
    return credentialOf(claim.scope.accessKeyId, token, sources)?.secretAccessKey;
  } catch (error) {
    if (isS3Error(error)) return undefined;
    throw error;
  }
}

/** Proxies ask for whole URLs; what is signed is their path and query. */
function originForm(target: string): string {
  const rest = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Latin1 text as it came off the wire, for people: as UTF-8 where it is that. */
function readable(latin1: string): string {
  const text = Buffer.from(latin1, 'latin1').toString('utf8');
  return text.includes('\uFFFD') ? latin1 : text;
}
