import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientRequest, S3Answer } from '../../src/main/prove/s3-client.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import type { RunningServer } from './servers.ts';

/** Two processes of a server over the same data. `restart` kills the first and starts it anew. */
export interface Pair {
  readonly bucket: string;
  first: RunningServer;
  readonly second: RunningServer;
  readonly restart: (kill: Promise<unknown>) => Promise<void>;
}

interface Probe {
  readonly asks: string;
  /** @returns what was seen; `as it should be` where it is */
  readonly run: (pair: Pair) => Promise<string>;
}

export const GOOD = 'as it should be';
const MIB = 1024 * 1024;
const LARGE = 4 * MIB;
const PART = 5 * MIB;
const KILLS = 10;
/** How much later each kill comes than the one before, in milliseconds. */
const KILL_STEP_MS = 4;

/** What bad luck and second writers make of data. */
export const PROBES: readonly Probe[] = [
  {
    asks: 'of 16 PutObjects with If-None-Match: * through two processes one is answered 200, and its bytes are there',
    run: async (pair) => {
      const { first, second } = pair;
      const writers = Array.from({ length: 16 }, (_, index) => ({
        server: index % 2 === 0 ? first : second,
        body: Buffer.from(`writer ${index}`),
      }));
      const answers = await Promise.all(
        writers.map(({ server, body }) => put(pair, 'race', { body, headers: { 'if-none-match': '*' } }, server)),
      );
      const winners = writers.filter((_, index) => answers[index]?.status === 200);
      if (winners.length !== 1) return `${winners.length} were answered 200`;
      const { body } = await send(pair, 'GET', 'race');
      return body.equals(winners[0]?.body ?? Buffer.alloc(0)) ? GOOD : 'other bytes than those of the winner';
    },
  },
  {
    asks: 'a PutObject with a checksum (CRC32) of other bytes is refused, and the object stays as it was',
    run: async (pair) => {
      await put(pair, 'checked', { body: Buffer.from('old') });
      const headers = { 'x-amz-checksum-crc32': 'AAAAAA==' };
      const { status } = await put(pair, 'checked', { body: Buffer.from('new'), headers });
      const { body } = await send(pair, 'GET', 'checked');
      if (status === 400 && body.toString() === 'old') return GOOD;
      return `answered ${status}; there is ${body.toString()}`;
    },
  },
  {
    asks: 'a client leaves in the middle of a PutObject: the object stays as it was',
    run: async (pair) => {
      await put(pair, 'left', { body: Buffer.from('old') });
      await leaveInTheMiddle(pair, 'left');
      await sleep(1000);
      const { status, body } = await send(pair, 'GET', 'left');
      return body.toString() === 'old' ? GOOD : `answered ${status} with ${body.length} bytes`;
    },
  },
  {
    asks: 'an object of 4 MiB is overwritten 20 times while it is read: each reader gets one of the two, whole',
    run: async (pair) => {
      const [old, fresh] = [Buffer.alloc(LARGE, 'a'), Buffer.alloc(LARGE, 'b')];
      await put(pair, 'busy', { body: old });
      const reads = { whole: 0, refused: 0, mixed: 0 };
      let writing = true;
      const reader = async (): Promise<void> => {
        while (writing) {
          const kind = await send(pair, 'GET', 'busy', {}, pair.second).then(({ status, body }) => {
            if (status !== 200) return 'refused';
            return body.equals(old) || body.equals(fresh) ? 'whole' : 'mixed';
          }, brokenOff);
          reads[kind] += 1;
        }
      };
      const readers = [reader(), reader()];
      for (let round = 0; round < 20; round += 1) await put(pair, 'busy', { body: round % 2 === 0 ? fresh : old });
      writing = false;
      await Promise.all(readers);
      if (reads.mixed > 0) return `${reads.mixed} of ${reads.whole + reads.mixed} answers 200 held bytes of neither`;
      return GOOD;
    },
  },
  {
    asks: 'two uploads of one key in parts at once: each Complete takes its own parts',
    run: async (pair) => {
      const uploads = [];
      for (const letter of ['a', 'b']) uploads.push(await uploadOf(pair, 'two', Buffer.alloc(PART, letter)));
      for (const upload of uploads.toReversed()) {
        const { status } = await complete(pair, upload);
        if (status !== 200) return `Complete was answered ${status}`;
        const { body } = await send(pair, 'GET', 'two');
        if (!body.equals(upload.part)) return 'the object has bytes of the other upload';
      }
      return GOOD;
    },
  },
  {
    asks: 'a Complete whose answer was lost is sent again: 200',
    run: async (pair) => {
      const upload = await uploadOf(pair, 'again', randomBytes(PART));
      const answers = [await complete(pair, upload), await complete(pair, upload)];
      const [first, second] = answers.map(({ status }) => status);
      return first === 200 && second === 200 ? GOOD : `answered ${String(first)}, then ${String(second)}`;
    },
  },
  {
    asks: `the process is killed in ${KILLS} Completes: the object is whole or absent, and Complete can be sent again`,
    run: async (pair) => {
      const seen: string[] = [];
      for (let round = 0; round < KILLS; round += 1) {
        const upload = await uploadOf(pair, `killed-${round}`, randomBytes(PART));
        const asked = complete(pair, upload).catch(brokenOff);
        await pair.restart(sleep(KILL_STEP_MS * round));
        await asked;
        const before = await send(pair, 'GET', upload.key);
        if (before.status === 200 && !before.body.equals(upload.part)) seen.push('other bytes');
        const { status } = await complete(pair, upload);
        if (status !== 200) seen.push(`Complete again: ${status}`);
        const after = await send(pair, 'GET', upload.key);
        if (!after.body.equals(upload.part)) seen.push(`no object in the end: ${after.status}`);
      }
      return seen.length === 0 ? GOOD : counted(seen);
    },
  },
];

interface Upload {
  readonly key: string;
  readonly uploadId: string;
  readonly part: Buffer;
  readonly etag: string;
}

/** An upload with its one part, to be completed. */
async function uploadOf(pair: Pair, key: string, part: Buffer): Promise<Upload> {
  const { body } = await send(pair, 'POST', key, { query: { uploads: '' } });
  const uploadId = /<UploadId>([^<]+)/.exec(body.toString())?.[1] ?? '';
  const answer = await send(pair, 'PUT', key, { query: { partNumber: '1', uploadId }, body: part });
  const md5 = createHash('md5').update(part).digest('hex');
  return { key, uploadId, part, etag: answer.headers.etag ?? `"${md5}"` };
}

function complete(pair: Pair, { key, uploadId, etag }: Upload): Promise<S3Answer> {
  const part = `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`;
  const body = Buffer.from(`<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`);
  return send(pair, 'POST', key, { query: { uploadId }, body });
}

/** A body of which half comes, and then the end of the connection. */
async function leaveInTheMiddle({ first, bucket }: Pair, key: string): Promise<void> {
  const { hostname, port, host } = new URL(first.endpoint);
  const { accessKeyId: accessKey, secretAccessKey: secretKey, region } = first.key;
  const headers = { 'content-length': String(2 * LARGE) };
  const head = signedHead({
    ...{ method: 'PUT', target: `/${bucket}/${key}`, host, headers, accessKey, secretKey, region },
  });
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(head);
  await new Promise((resolve) => socket.write(Buffer.alloc(LARGE, 'x'), resolve));
  await sleep(500);
  socket.destroy();
}

function send(
  { bucket, first }: Pair,
  method: string,
  key: string,
  request: ClientRequest = {},
  server = first,
): Promise<S3Answer> {
  return server.client.send(method, `/${bucket}/${key}`, request);
}

function put(pair: Pair, key: string, request: ClientRequest, server = pair.first): Promise<S3Answer> {
  return send(pair, 'PUT', key, request, server);
}

/** A connection that ends before its answer does: the client knows that it has nothing. */
function brokenOff(): 'refused' {
  return 'refused';
}

/** `3 times this, 1 times that`. */
function counted(seen: readonly string[]): string {
  const kinds = [...new Set(seen)];
  return kinds.map((kind) => `${seen.filter((one) => one === kind).length} times ${kind}`).join(', ');
}
