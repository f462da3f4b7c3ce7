import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Fault, Service } from './fault.ts';
import { type RefusalAnswer, refusalAnswer } from './refusal.ts';

/** The backend's answer as it came. */
export async function passBack(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
  await pipeline(answer, response);
}

/** The backend's answer without some of its headers. */
export async function passBackWithout(
  names: readonly string[],
  answer: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const kept = answer.rawHeaders.filter((_text, at, all) => !names.includes((all[at - (at % 2)] ?? '').toLowerCase()));
  response.sendDate = false;
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, kept);
  await pipeline(answer, response);
}

/**
 * The backend's answer up to some byte of its body, if it has so many; heads go out whole, with the length of the
 * whole.
 */
export async function answerBroken(
  answer: IncomingMessage,
  response: ServerResponse,
  fault: Extract<Fault, { kind: 'breakBody' | 'stallBody' }>,
): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
  response.flushHeaders();
  let left = fault.after;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    const piece = chunk.subarray(0, left);
    left -= piece.length;
    if (piece.length > 0) await new Promise<void>((done) => response.write(piece, () => done()));
    if (left === 0) break;
  }
  if (left > 0) {
    response.end();
    return;
  }
  if (fault.kind === 'stallBody') return;
  if (fault.how === 'reset') resetConnection(response);
  else response.socket?.end();
}

export function answerRefusal(
  response: ServerResponse,
  service: Service,
  { status, retryAfter }: { status: number; retryAfter?: number },
): void {
  answerWith(response, refusalAnswer(service, status, retryAfter));
}

/** HEAD answers have no body. */
export function answerWith(response: ServerResponse, { status, headers, body }: RefusalAnswer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/**
 * What is being closed already is only closed: a reset while a shutdown is under way leaves Node a handle that never
 * ends (`uv_tcp_close_reset` refuses it), and with it a process that cannot end (Node 24.21).
 */
export function resetConnection({ socket }: Pick<ServerResponse, 'socket'>): void {
  if (socket?.writableEnded === true) socket.destroy();
  else socket?.resetAndDestroy();
}
