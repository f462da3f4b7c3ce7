import { createServer, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** An answer of a backend on its way to the gateway. */
interface PassingAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

interface AnswerProxy {
  readonly port: number;
  /** What becomes of answers from now on. The request is the one they are for; its body is gone. */
  change: (answer: PassingAnswer, asked: IncomingMessage) => void;
  close(): Promise<void>;
}

/** A proxy before an emulator that alters answers as a service would that differs from what is documented. */
export async function startAnswerProxy(target: number): Promise<AnswerProxy> {
  const proxy = { change: (): void => undefined } as Pick<AnswerProxy, 'change'>;
  const server = createServer((asked, given) => {
    const { method, url: path, headers } = asked;
    const passed = request({ host: '127.0.0.1', port: target, method, path, headers }, (came) => {
      const chunks: Buffer[] = [];
      came.on('data', (chunk: Buffer) => chunks.push(chunk));
      came.on('end', () => {
        const answer = { status: came.statusCode ?? 502, headers: { ...came.headers }, body: Buffer.concat(chunks) };
        proxy.change(answer, asked);
        const { 'transfer-encoding': _chunked, ...rest } = answer.headers;
        const length = method === 'HEAD' ? {} : { 'content-length': answer.body.length };
        given.writeHead(answer.status, { ...rest, ...length });
        given.end(answer.body);
      });
    });
    passed.on('error', () => given.destroy());
    asked.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
