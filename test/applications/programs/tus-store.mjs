import assert from 'node:assert';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Server } from '@tus/server';
import { Upload } from 'tus-js-client';

const { datastore } = await import('./recipe.mjs');
const step = (text) => console.log(`* ${text}`);

const server = new Server({ path: '/files', datastore }).listen({ host: '127.0.0.1', port: 0 });
await once(server, 'listening');
const endpoint = `http://127.0.0.1:${server.address().port}/files`;
const bytes = randomBytes(21_000_000);

/** @returns the address of the upload. @param ending bytes after which the client goes away */
function upload(more = {}, ending = Infinity) {
  return new Promise((done, failed) => {
    const client = new Upload(bytes, {
      endpoint,
      chunkSize: 6_000_000,
      retryDelays: [],
      metadata: { filename: 'big.bin' },
      onProgress: (sent) => {
        if (sent >= ending) void client.abort().then(() => done(client.url));
      },
      onError: failed,
      onSuccess: () => done(client.url),
      ...more,
    });
    client.start();
  });
}

const read = async (url) => Buffer.from(await (await fetch(url)).arrayBuffer());

assert((await read(await upload())).equals(bytes));
step('21 MB uploaded by chunks, read back and compared');
const left = await upload({}, 12_000_000);
const { headers } = await fetch(left, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } });
const offset = Number(headers.get('upload-offset'));
assert(offset > 0 && offset < bytes.length, String(offset));
assert((await read(await upload({ uploadUrl: left }))).equals(bytes));
step('an upload left half-way and resumed');
const gone = await upload({}, 7_000_000);
assert.equal((await fetch(gone, { method: 'DELETE', headers: { 'tus-resumable': '1.0.0' } })).status, 204);
assert.equal((await fetch(gone, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } })).status, 404);
step('an upload that was left half-way removed');
server.close();
server.closeAllConnections();
