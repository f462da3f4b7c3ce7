import type { PayloadMode } from '../../auth/payload-mode.ts';
import type { Digest, RequestBodyFacts } from '../../observe/request-facts.ts';
import type { DeclaredDigests } from './declared-digests.ts';

interface Announced {
  readonly payload: PayloadMode;
  readonly declared: DeclaredDigests;
  readonly contentLength: number | undefined;
  readonly declaredSize: number | undefined;
}

/** What is known of a body before its first byte. */
export function bodyFacts({ payload, declared, contentLength, declaredSize }: Announced): RequestBodyFacts {
  const { md5, checksum } = declared;
  const digests: Digest[] = [];
  if (payload.kind === 'hash') digests.push({ algorithm: 'sha256', value: payload.sha256 });
  if (md5 !== undefined) digests.push({ algorithm: 'md5', value: md5.toString('hex') });
  if (checksum !== undefined) digests.push({ algorithm: checksum.algorithm, value: checksum.value });
  return {
    framing: payload.kind,
    contentLength,
    declaredSize,
    received: 0,
    chunks: 0,
    declared: digests,
    computed: [],
  };
}

/** A checksum that was announced for the trailer has come. */
export function noteTrailer(facts: RequestBodyFacts | undefined, algorithm: string, value: string): void {
  const announced = facts?.declared.find((digest) => digest.algorithm === algorithm);
  if (announced !== undefined) announced.value = value;
}
