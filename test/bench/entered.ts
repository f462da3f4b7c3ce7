import inspector from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Gateway from '../support/gateway/gateway.ts';
import type * as RawHttp from '../support/clients/raw-http.ts';
import type * as SignRaw from '../support/clients/sign-raw.ts';

/*
 * Which files and functions of `src/` and `adapters/` a request enters: `npm run bench:entered`. The gateway runs in
 * this process over the memory adapter. Each request is made once before it is counted, over the same connection, and
 * counted until its answer is there. `-- --list` names the functions, `-- --tree DIR` counts another checkout.
 */
const MIN_PART = 5 * 1024 * 1024;
/** What goes on behind an answer has ended by then; milliseconds. */
const QUIET_MS = 50;
/** Longer than what is counted takes, so that buckets are known. To switch versioning takes as long. */
const BUCKET_CACHE_MS = 15_000;
const HERE = fileURLToPath(new URL('../..', import.meta.url));
const argument = (name: string): string | undefined => process.argv[process.argv.indexOf(name) + 1 || -1];
const tree = path.resolve(argument('--tree') ?? HERE);
const root = pathToFileURL(`${tree}/`).href;
const SOURCES = ['src/', 'adapters/'].map((folder) => root + folder);
const isListed = process.argv.includes('--list');

const support = path.join(tree, 'test/support');
const helpers = readdirSync(support, { recursive: true, encoding: 'utf8' });

/** A module of the tree's own test support, in whichever folder that checkout has it. */
async function load<Module>(name: string): Promise<Module> {
  const found = helpers.find((file) => path.basename(file) === name);
  if (found === undefined) throw new Error(`${support} has no ${name}`);
  return (await import(pathToFileURL(path.join(support, found)).href)) as Module;
}

const { startTestGateway } = await load<typeof Gateway>('gateway.ts');
const { RawConnection } = await load<typeof RawHttp>('raw-http.ts');
const { signedHead } = await load<typeof SignRaw>('sign-raw.ts');

const gateway = await startTestGateway({ bucketCacheMs: BUCKET_CACHE_MS });
const connection = await RawConnection.open(gateway.port);
const session = new inspector.Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

interface Sent {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(method: string, target: string, { body = '', headers = {} }: Sent = {}) {
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  connection.send(signedHead({ method, target, headers: { ...headers, ...length } }));
  connection.send(Buffer.from(body));
  const answer = await connection.answer(method);
  if (answer.status >= 300) throw new Error(`${method} ${target}: ${answer.status} ${answer.body}`);
  return answer;
}

/** Names of the functions that ran since the last call, by file. */
async function takeEntered(): Promise<Map<string, string[]>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const entered = new Map<string, string[]>();
  for (const { url, functions } of result) {
    const file = SOURCES.some((folder) => url.startsWith(folder)) ? url.slice(root.length) : undefined;
    if (file === undefined) continue;
    const names = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
    if (names.length === 0) continue;
    entered.set(
      file,
      names.map(({ functionName }) => functionName || '(anonymous)'),
    );
  }
  return entered;
}

async function count(name: string, request: () => Promise<unknown>): Promise<void> {
  await sleep(QUIET_MS);
  await takeEntered();
  await request();
  const entered = await takeEntered();
  const functions = [...entered.values()].flat();
  console.log(`${name.padEnd(24)} ${entered.size} files, ${functions.length} functions`);
  if (!isListed) return;
  for (const [file, names] of [...entered].toSorted()) console.log(`  ${file}: ${names.join(', ')}`);
}

async function upload(key: string): Promise<string> {
  const { body } = await send('POST', `/plain/${key}?uploads`);
  return /<UploadId>([^<]+)/.exec(body)?.[1] ?? '';
}

/** An upload with one part. @returns what completes it */
async function readyUpload(key: string): Promise<() => Promise<unknown>> {
  const id = await upload(key);
  const target = `/plain/${key}?uploadId=${id}`;
  const { headers } = await send('PUT', `${target}&partNumber=1`, { body: Buffer.alloc(MIN_PART) });
  const part = `<Part><PartNumber>1</PartNumber><ETag>${headers['etag']}</ETag></Part>`;
  const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`;
  return () => send('POST', target, { body });
}

const body = Buffer.alloc(1024, 'a');
const put = (target: string) => send('PUT', target, { body, headers: { 'content-type': 'text/plain' } });

await send('PUT', '/versioned');
const versioning = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
await send('PUT', '/versioned?versioning', { body: versioning });

await send('PUT', '/plain');
await put('/plain/warm');
await count('GET 1 kB', () => send('GET', '/plain/warm'));
await count('PUT 1 kB', () => put('/plain/key'));

const versions: string[] = [];
for (let number = 0; number < 4; number += 1) {
  versions.push((await put('/versioned/key')).headers['x-amz-version-id'] ?? '');
}
await send('DELETE', `/versioned/key?versionId=${versions[0]}`);
await count('DELETE by id, older', () => send('DELETE', `/versioned/key?versionId=${versions[1]}`));
await send('DELETE', `/versioned/key?versionId=${versions[3]}`);
await put('/versioned/other');
const { headers } = await put('/versioned/other');
await count('DELETE by id, current', () => send('DELETE', `/versioned/other?versionId=${headers['x-amz-version-id']}`));

await (await readyUpload('warm'))();
const complete = await readyUpload('upload');
await count('CompleteMultipartUpload', complete);

const copyOnto = (key: string) => send('PUT', `/plain/${key}`, { headers: { 'x-amz-copy-source': '/plain/key' } });
await copyOnto('first');
await count('CopyObject', () => copyOnto('second'));

const id = await upload('copied');
const copy = (number: number) =>
  send('PUT', `/plain/copied?uploadId=${id}&partNumber=${number}`, { headers: { 'x-amz-copy-source': '/plain/key' } });
await copy(1);
await count('UploadPartCopy', () => copy(2));

await sleep(QUIET_MS);
await gateway.close();
process.exit(0);
