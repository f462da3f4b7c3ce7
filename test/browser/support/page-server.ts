import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

export interface PageServer {
  /** Another than the gateway's. */
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves one page, under every path, which has loaded `test/browser/foreign-page/`. */
export async function startPageServer(): Promise<PageServer> {
  const script = await bundle(join(import.meta.dirname, '../foreign-page/main.mjs'));
  const server = createServer(({ url }, response) => {
    const [type, text] =
      url === '/page.js'
        ? ['text/javascript', script]
        : ['text/html', '<!doctype html><title>page</title><script type="module" src="/page.js"></script><body>'];
    response.setHeader('content-type', `${type}; charset=utf-8`);
    response.end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** One ES module of a file and all that it imports, in memory. */
async function bundle(input: string): Promise<string> {
  const build = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  try {
    const { output } = await build.generate({ format: 'esm' });
    return output[0].code;
  } finally {
    await build.close();
  }
}
