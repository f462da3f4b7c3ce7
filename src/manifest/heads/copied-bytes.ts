import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import type { ChecksumAlgorithm } from '../../protocol/checksums/algorithms.ts';
import { createChecksumHasher } from '../../protocol/checksums/hasher.ts';

interface WantedSums {
  readonly md5?: boolean;
  readonly checksum?: ChecksumAlgorithm | undefined;
}

/** The same bytes, and what they turn out to be when all of them have passed. */
export function hashing(
  bytes: Readable,
  wanted: WantedSums,
  signal: AbortSignal,
): { readonly stream: Readable; readonly facts: Promise<BodyFacts> } {
  const { checksum: algorithm } = wanted;
  const md5 = wanted.md5 === true ? createHash('md5') : undefined;
  const hasher = algorithm && createChecksumHasher(algorithm);
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      md5?.update(chunk);
      hasher?.update(chunk);
      done(null, chunk);
    },
  });
  const found = (): BodyFacts => ({
    ...(md5 && { md5: md5.digest('hex') }),
    ...(algorithm !== undefined &&
      hasher !== undefined && { checksum: { algorithm, value: hasher.digest().toString('base64') } }),
  });
  const facts = pipeline(bytes, stream, { signal }).then(found);
  facts.catch(() => undefined); // whoever reads the stream is told of its failure too
  return { stream, facts };
}
