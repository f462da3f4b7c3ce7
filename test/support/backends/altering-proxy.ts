import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Head of a request as it came off the wire, latin1, its empty line included. */
export type Alter = (head: string) => string;

export interface AlteringProxy {
  readonly port: number;
  /** What is done to the heads of requests from now on. */
  alter: Alter;
  close(): Promise<void>;
}

/** A proxy that changes the head of the first request on each connection and passes all else on untouched. */
export async function startAlteringProxy(target: number): Promise<AlteringProxy> {
  const sockets = new Set<Socket>();
  const proxy = { alter: (head: string) => head };
  const server = createServer((client) => {
    const upstream = connect({ port: target, host: '127.0.0.1' });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    let pending = Buffer.alloc(0);
    client.on('data', function collect(chunk) {
      pending = Buffer.concat([pending, chunk]);
      const end = pending.indexOf('\r\n\r\n');
      if (end < 0) return;
      client.off('data', collect);
      upstream.write(Buffer.from(proxy.alter(pending.toString('latin1', 0, end + 4)), 'latin1'));
      upstream.write(pending.subarray(end + 4));
      client.pipe(upstream);
    });
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
}

/** Changes the request target. */
export function altersTarget(change: (target: string) => string): Alter {
  return (head) => head.replace(/^(\S+) (\S+)/, (_, method: string, target: string) => `${method} ${change(target)}`);
}

/** Sets a header (`undefined`: takes it away), or changes the value it has. */
export function altersHeader(name: string, change: string | undefined | ((value: string) => string)): Alter {
  const line = new RegExp(`^(${name}):[ \\t]*(.*)\\r\\n`, 'im');
  return (head) => {
    if (change === undefined) return head.replace(line, '');
    if (typeof change === 'function') {
      return head.replace(line, (_, found: string, value: string) => `${found}: ${change(value)}\r\n`);
    }
    return line.test(head)
      ? head.replace(line, `$1: ${change}\r\n`)
      : head.replace(/\r\n\r\n$/, `\r\n${name}: ${change}\r\n\r\n`);
  };
}

export function both(...alterations: readonly Alter[]): Alter {
  return (head) => alterations.reduce((altered, alter) => alter(altered), head);
}
