import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Node's parser of a connection. It is no documented interface: what is missing is not used. */
interface NodeParser {
  /** Takes a request whose head is complete. @returns what the parser does next; below 0: it stops */
  onIncoming?: (request: IncomingMessage, keepAlive: boolean) => number;
}

const STOP = -1;

/**
 * Has Node parse nothing more of a connection that was destroyed. Left to itself, its parser goes on to the end of what
 * it has read, and makes objects of thousands of requests that nobody will serve. To be called before the server
 * listens, and after its own listeners are there.
 */
export function stopParsingWhenDestroyed(server: Server): void {
  for (const event of ['connection', 'secureConnection']) server.on(event, stopWhenDestroyed);
}

function stopWhenDestroyed(socket: Socket & { readonly parser?: NodeParser | null }): void {
  const { parser } = socket;
  const take = parser?.onIncoming;
  if (parser == null || take === undefined) return;
  parser.onIncoming = (request, keepAlive) => {
    const next = take(request, keepAlive);
    return socket.destroyed ? STOP : next;
  };
}
