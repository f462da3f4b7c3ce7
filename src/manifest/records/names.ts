import { type KeyCodec, createKeyCodec } from '../../store/key-codec.ts';
import type { BlobRef, BlobStore } from '../../store/blob-store.ts';
import type { KeyRef } from './key-ref.ts';

const codecs = new WeakMap<BlobStore, KeyCodec>();

/** The codec that fits a store's order and limits. */
export function codecOf(store: BlobStore): KeyCodec {
  let codec = codecs.get(store);
  if (codec === undefined) {
    codec = createKeyCodec(store.capabilities);
    codecs.set(store, codec);
  }
  return codec;
}

/** Where the head of a key lies; `trueKey` is set when the name had to be cut and the record must carry the key. */
export function headPlace({ bucket, key }: KeyRef): { ref: BlobRef; trueKey: string | undefined } {
  const { name, needsTrueKey } = codecOf(bucket.home.store).encode(key);
  return { ref: { container: bucket.home.container, name }, trueKey: needsTrueKey ? key : undefined };
}

/**
 * The key of a head that was found by its name.
 * @param record of the head: it has the key where the name had to be cut
 * @returns undefined: no key has such a name
 */
export function keyOfHead(
  store: BlobStore,
  name: string,
  record: { readonly key?: string } | undefined,
): string | undefined {
  const decoded = codecOf(store).decode(name);
  return decoded.kind === 'key' ? decoded.key : record?.key;
}
