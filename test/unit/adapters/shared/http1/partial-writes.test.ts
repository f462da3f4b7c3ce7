import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { WholeWriter } from '../../../../../adapters/shared/http1/whole-writer.ts';

/*
 * A kernel that takes only a part of a write, as it does when the peer reads slower than others write to it. The rest
 * stays in the memory that was handed over, while requests of other connections are written out of the writer's own.
 */
const CONNECTIONS = 6;
const BODY = 16 * 1024;
/** More than any kernel keeps for a peer that does not read. */
const MOST_REQUESTS = 4000;

let server: Server | undefined;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

/** Connections to a peer that reads nothing yet, and its ends of them. */
async function stalled(): Promise<{ readonly ours: readonly Socket[]; readonly peers: readonly Socket[] }> {
  const accepted: Socket[] = [];
  const peer = createServer({ pauseOnConnect: true }, (socket) => {
    accepted.push(socket);
    sockets.push(socket);
  });
  server = peer.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ours: Socket[] = [];
  const peers: Socket[] = [];
  for (let count = 1; count <= CONNECTIONS; count += 1) {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    sockets.push(socket);
    await once(socket, 'connect');
    while (accepted.length < count) await new Promise((resolve) => setImmediate(resolve));
    ours.push(socket);
    peers.push(accepted[count - 1] as Socket);
  }
  return { ours, peers };
}

/** Says everywhere whose it is: a byte of another request cannot go unseen. */
function request(connection: number, place: number): { readonly head: string; readonly body: Buffer } {
  const name = `<${connection}.${place}>`;
  return { head: `PUT /${name} HTTP/1.1\r\n\r\n`, body: Buffer.alloc(BODY, name) };
}

async function readTo(peer: Socket, length: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let came = 0;
  peer.on('data', (piece: Buffer) => {
    pieces.push(piece);
    came += piece.length;
  });
  peer.resume();
  while (came < length) await new Promise((resolve) => setImmediate(resolve));
  return Buffer.concat(pieces);
}

it('every byte comes where it belongs when the kernel takes writes of many connections in part', async () => {
  const writer = new WholeWriter();
  const { ours, peers } = await stalled();
  const sent = ours.map((): Buffer[] => []);
  let inPart = 0;
  const open = new Set(ours.keys());
  for (let place = 0; open.size > 0 && place < MOST_REQUESTS; place += 1) {
    for (const at of open) {
      const socket = ours[at] as Socket;
      const { head, body } = request(at, place);
      writer.write(socket, head, body);
      sent[at]?.push(Buffer.from(head, 'latin1'), body);
      if (socket.writableLength === 0) continue;
      inPart += 1;
      open.delete(at);
    }
  }
  expect(inPart).toBe(CONNECTIONS);
  // What the writer has now is written over, for others that the kernel does take.
  const [fresh] = (await stalled()).ours;
  for (let place = 0; place < 8; place += 1) writer.write(fresh as Socket, '!'.repeat(100), Buffer.alloc(BODY, '!'));
  const expected = sent.map((pieces) => Buffer.concat(pieces));
  const came = await Promise.all(peers.map((peer, at) => readTo(peer, expected[at]?.length ?? 0)));
  for (const [at, bytes] of came.entries()) expect(bytes.equals(expected[at] as Buffer), `connection ${at}`).toBe(true);
});
