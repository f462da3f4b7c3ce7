import type { IncomingHttpHeaders } from 'node:http';
import { presentedToken } from '../guard/presented-token.ts';

/** Longest answer of a peer that is taken, and longest time it may take. */
const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 5000;
/** An event stream is never silent for long: each replica tells of itself. */
const MAX_SILENCE_MS = 45_000;

/**
 * What a caller showed to get in here. It is shown to peers, which are configured; never to a host that a caller names.
 */
export interface PeerCredentials {
  readonly authorization?: string;
}

/** However it was shown: other cookies and headers are between the caller and us. */
export function credentialsOf(headers: IncomingHttpHeaders): PeerCredentials {
  const token = presentedToken(headers);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** A peer that does not answer, or not as one of us would; the message is for people. */
export class PeerError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'PeerError';
  }
}

export interface PeerRequest {
  readonly credentials: PeerCredentials;
  readonly signal: AbortSignal;
}

/** @param url of a peer @throws PeerError */
export async function getJsonOfPeer(url: string, { credentials, signal }: PeerRequest): Promise<unknown> {
  const response = await ask(url, { credentials, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of bytesOf(response)) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > MAX_BYTES) throw new PeerError('its answer is too long');
    }
    return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
  } catch (error) {
    throw asPeerError(error);
  }
}

/** The bytes of a stream of events, until it ends, breaks or falls silent. @throws PeerError */
export async function* openStream(url: string, { credentials, signal }: PeerRequest): AsyncGenerator<Uint8Array, void> {
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(new PeerError('it fell silent')), MAX_SILENCE_MS);
  try {
    const response = await ask(url, { credentials, signal: AbortSignal.any([signal, silence.signal]) });
    for await (const chunk of bytesOf(response)) {
      watch.refresh();
      yield chunk;
    }
  } catch (error) {
    throw asPeerError(error);
  } finally {
    clearTimeout(watch);
  }
}

async function ask(url: string, { credentials, signal }: PeerRequest): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { headers: { ...credentials }, redirect: 'error', signal });
  } catch (error) {
    throw asPeerError(error);
  }
  if (response.ok) return response;
  await response.body?.cancel();
  throw new PeerError(
    response.status === 401 || response.status === 403
      ? 'it does not accept the token'
      : `it answered ${response.status}`,
  );
}

async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  for await (const chunk of body as ReadableStream<Uint8Array>) yield chunk;
}

/** The innermost cause has the word that says it: refused, no such host. */
function asPeerError(error: unknown): PeerError {
  if (error instanceof PeerError) return error;
  let inner = error;
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause;
  const { code, name, message } = inner as NodeJS.ErrnoException;
  return new PeerError(name === 'TimeoutError' ? 'no answer in time' : (code ?? message), error);
}
