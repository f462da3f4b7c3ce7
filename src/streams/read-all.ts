import type { ByteSource } from './bytes.ts';

/** A small body whole: records, never objects. */
export async function readAll(source: ByteSource): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source.stream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
