/** A page of a thousand blobs has 850 KB, those with long names and records more. */
const DOCUMENT_BUFFER = 1024 * 1024;
const MOST_KEPT = 4;

const kept: Buffer[] = [];
/** Lent, and not given back yet. */
const lent = new WeakSet<ArrayBufferLike>();

/**
 * Memory for a document, which the next one may get when it is given back. V8 counts new memory outside its heap, and
 * makes a full collection for every 32 MiB of it: with a new piece for each page, half of what a listing cost.
 */
export function lendDocumentBuffer(): Buffer {
  const buffer = kept.pop() ?? Buffer.allocUnsafeSlow(DOCUMENT_BUFFER);
  lent.add(buffer.buffer);
  return buffer;
}

/** Says that nobody looks at a document again, nor at any view of its bytes. Other bytes are left alone. */
export function giveDocumentBack({ buffer }: Uint8Array): void {
  if (lent.delete(buffer) && kept.length < MOST_KEPT) kept.push(Buffer.from(buffer));
}
