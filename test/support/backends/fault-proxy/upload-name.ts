import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

const MOST = 256 * 1024;

/**
 * Name of the object that a multipart upload of Cloud Storage makes, which stands in the first part of its body. What
 * was read to find it is put back.
 */
export async function uploadName(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let found: string | undefined;
  for (let size = 0; found === undefined && size < MOST; ) {
    const chunk = request.read() as Buffer | null;
    if (chunk !== null) {
      pieces.push(chunk);
      size += chunk.length;
      found = nameIn(Buffer.concat(pieces).toString('utf8'));
    } else if (request.readableEnded || request.destroyed) {
      return undefined;
    } else {
      await once(request, 'readable');
    }
  }
  request.unshift(Buffer.concat(pieces));
  return found;
}

/** The resource lies between the empty line behind the first part's headers and the next boundary. */
function nameIn(text: string): string | undefined {
  const start = text.indexOf('\r\n\r\n');
  const end = text.indexOf('\r\n--', start);
  if (start < 0 || end < 0) return undefined;
  try {
    return (JSON.parse(text.slice(start, end)) as { name?: string }).name;
  } catch {
    return undefined;
  }
}
