import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteSource } from '../../streams/bytes.ts';
import type { BodyFacts } from '../../protocol/body/object-body.ts';
import type { ChecksumAlgorithm } from '../../protocol/checksums/algorithms.ts';
import { createChecksumHasher } from '../../protocol/checksums/hasher.ts';
import { createMd5 } from '../../protocol/checksums/md5.ts';

interface WantedSums {
  /** How many bytes there are, as far as that is known. */
  readonly size?: number;
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
  const md5 = wanted.md5 === true ? createMd5(wanted.size) : undefined;
  const hasher = algorithm && createChecksumHasher(algorithm, wanted.size);
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      md5?.update(chunk);
      hasher?.update(chunk);
      done(null, chunk);
    },
  });
  const found = (): BodyFacts => ({
    ...(md5 && { md5: md5.digest().toString('hex') }),
    ...(algorithm !== undefined &&
      hasher !== undefined && { checksum: { algorithm, value: hasher.digest().toString('base64') } }),
  });
  const release = (): void => {
    md5?.release?.();
    hasher?.release?.();
  };
  const facts = pipeline(bytes, stream, { signal }).then(found).finally(release);
  // The reader of the stream is told of its failure, too.
  facts.catch(() => undefined);
  stream.on('error', () => undefined);
  return { stream, facts };
}

/**
 * Passes the bytes of a source to `store`, and releases the source however that ends. `store` may be refused, or wait
 * for something else, before it reads. An error of the source in the meantime is kept for the reader; without a
 * listener it would end the process.
 */
export async function passing<T>(source: ByteSource, store: (bytes: Readable) => Promise<T>): Promise<T> {
  const bytes = source.stream();
  bytes.on('error', () => undefined);
  try {
    return await store(bytes);
  } finally {
    bytes.destroy();
  }
}
