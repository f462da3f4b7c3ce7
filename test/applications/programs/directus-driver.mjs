import assert from 'node:assert';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { DriverS3 } from '@directus/storage-driver-s3';

const { config } = await import('./recipe.mjs');
const step = (said) => console.log(`* ${said}`);
const driver = new DriverS3(config);

const bytes = randomBytes(17_000_000);
await driver.write('file.bin', Readable.from([bytes], { objectMode: false }), 'application/octet-stream');
assert((await buffer(await driver.read('file.bin'))).equals(bytes));
const part = await buffer(await driver.read('file.bin', { range: { start: 100, end: 199 } }));
assert(part.equals(bytes.subarray(100, 200)));
assert.equal((await driver.stat('file.bin')).size, bytes.length);
step('17 MB written from a stream, read whole and by a range, compared');
await driver.write('file.bin', Readable.from(['anew']), 'text/plain');
assert.equal(await text(await driver.read('file.bin')), 'anew');
await driver.copy('file.bin', 'copied');
await driver.move('copied', 'moved');
const names = [];
for await (const name of driver.list('')) names.push(name);
// The driver takes the root off and leaves its slash.
assert.deepEqual(names.toSorted(), ['/file.bin', '/moved']);
step('overwritten, copied, moved, listed');
await driver.delete('moved');
assert.equal(await driver.exists('moved'), false);
assert.equal(await driver.exists('file.bin'), true);
step('deleted');
process.exit(0);
