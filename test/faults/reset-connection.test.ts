import { once } from 'node:events';
import { type Socket, createServer } from 'node:net';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { resetConnection } from '../support/backends/fault-proxy/answers.ts';

async function accepted(): Promise<{ socket: Socket; done: () => Promise<void> }> {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const peer = connect(address.port, '127.0.0.1').on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.on('error', () => undefined);
  const done = async (): Promise<void> => {
    peer.destroy();
    server.close();
    await once(server, 'close');
  };
  return { socket, done };
}

test('a connection whose end is on its way is closed, and leaves nothing that keeps a process from ending', async () => {
  const { socket, done } = await accepted();
  const closed = once(socket, 'close').then(() => 'closed');
  socket.end();
  // In the turn of the event loop in which its shutdown was asked for and is not done.
  await new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)));
  resetConnection({ socket });
  const late = new Promise((resolve) => setTimeout(resolve, 2000, 'open for ever'));
  await expect(Promise.race([closed, late])).resolves.toBe('closed');
  await done();
});

test('any other is reset', async () => {
  const { socket, done } = await accepted();
  const closed = once(socket, 'close');
  resetConnection({ socket });
  await closed;
  await done();
});
