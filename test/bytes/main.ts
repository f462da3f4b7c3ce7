import { resolve } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type RunningTestbed, startTestbedWith } from '../support/gateway/testbed.ts';
import { Random } from '../support/random.ts';
import { type BytesOptions, parseOptions } from './options.ts';
import { mannerOf, readOnce } from './reader.ts';
import { type OwnKey, Writer } from './writer.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = [3 * KIB, 65 * KIB, 300 * KIB, MIB + 1, 5 * MIB + 17, 16 * MIB, 32 * MIB + 3];
/** What a slow client gets through in so many milliseconds is the most that it asks for. */
const MOST_MS = 6_000;
/** The kernel takes this much for a client that reads nothing, on this machine. */
const KERNEL = 6 * MIB;
/** A client writes its own key after one in so many reads. */
const PUT_ONE_IN = 5;

interface Stored {
  readonly url: string;
  readonly bytes: Buffer;
}

/** What clients read, and the keys that they write, one for each client. */
interface Place {
  readonly stored: readonly Stored[];
  readonly own: readonly OwnKey[];
}

/** Slow, stuttering and leaving clients read and write, every byte is compared; exits with 1 if anything was wrong. */
export async function main(argv: readonly string[]): Promise<void> {
  const options = parseOptions(argv);
  const plant = resolve(import.meta.dirname, 'plant.mjs');
  const variables =
    options.plant === undefined ? {} : { PLANTED_FAULT: options.plant, NODE_OPTIONS: `--import ${plant}` };
  const bed = await startTestbedWith(
    { S3GW_LOG_LEVEL: 'error', ...variables },
    ...['--backend', options.backend, '--backend-tls', options.backendTls, ...(options.tls ? ['--tls-port', '0'] : [])],
  );
  try {
    const stored = await store(bed, options);
    process.exitCode = (await goThrough(stored, options)) ? 0 : 1;
  } finally {
    await bed.stop();
  }
}

/** Bytes that tell where they belong: each four are a number made of their place and the object. */
function contentOf(size: number, salt: number): Buffer {
  const words = new Uint32Array(Math.ceil(size / 4));
  for (let at = 0; at < words.length; at += 1) words[at] = Math.imul(at + 1, 2654435761) ^ salt;
  return Buffer.from(words.buffer, 0, size);
}

async function store({ bed }: RunningTestbed, options: BytesOptions): Promise<Place> {
  const [account] = bed.accounts;
  const credentials = { accessKeyId: account?.accessKey ?? '', secretAccessKey: account?.secretKey ?? '' };
  const clientOf = (endpoint: string | undefined): S3Client =>
    new S3Client({ endpoint: endpoint ?? '', region: bed.region, forcePathStyle: true, credentials });
  const writer = clientOf(bed.endpoints[0]);
  const reader = clientOf(options.tls ? bed.tlsEndpoints[0] : bed.endpoints[0]);
  const stored: Stored[] = [];
  const keep = async (Bucket: string, Key: string, bytes: Buffer): Promise<void> => {
    const url = await getSignedUrl(reader, new GetObjectCommand({ Bucket, Key }), { expiresIn: 86_400 });
    stored.push({ url, bytes });
  };
  for (const [salt, Bucket] of ['plain', 'versioned'].entries()) {
    await writer.send(new CreateBucketCommand({ Bucket }));
    if (Bucket === 'versioned') {
      const VersioningConfiguration = { Status: 'Enabled' } as const;
      await writer.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
    }
    for (const size of SIZES) {
      const bytes = contentOf(size, size * 7 + salt);
      await writer.send(new PutObjectCommand({ Bucket, Key: `of-${size}`, Body: bytes }));
      await keep(Bucket, `of-${size}`, bytes);
    }
    const parts = contentOf(17 * MIB, 99 + salt);
    await multipart(writer, { Bucket, Key: 'parts' }, parts);
    await keep(Bucket, 'parts', parts);
  }
  const own = await Promise.all(
    Array.from({ length: options.clients }, async (_, at): Promise<OwnKey> => {
      const place = { Bucket: at % 2 === 0 ? 'plain' : 'versioned', Key: `own-${at}` };
      return {
        put: await getSignedUrl(reader, new PutObjectCommand(place), { expiresIn: 86_400 }),
        get: await getSignedUrl(reader, new GetObjectCommand(place), { expiresIn: 86_400 }),
      };
    }),
  );
  writer.destroy();
  reader.destroy();
  return { stored, own };
}

async function multipart(client: S3Client, place: { Bucket: string; Key: string }, bytes: Buffer): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(place));
  const parts = [];
  for (let at = 0; at * 6 * MIB < bytes.length; at += 1) {
    const Body = bytes.subarray(at * 6 * MIB, (at + 1) * 6 * MIB);
    const { ETag } = await client.send(new UploadPartCommand({ ...place, UploadId, PartNumber: at + 1, Body }));
    parts.push({ ETag, PartNumber: at + 1 });
  }
  await client.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts: parts } }));
}

/** @returns whether all was right */
async function goThrough({ stored, own }: Place, options: BytesOptions): Promise<boolean> {
  const { gets, clients, seed, backend } = options;
  const random = new Random(seed);
  const faults: string[] = [];
  let [done, bytes, puts] = [0, 0, 0];
  /** One wrong byte is enough. */
  let isProven = false;
  const client = async (key: OwnKey, salt: number): Promise<void> => {
    const writer = new Writer(key, contentOf, salt);
    while (done < gets && faults.length < 10 && !isProven) {
      const at = (done += 1);
      const one = asked(random, random.pick(stored));
      const outcome = await readOnce(one);
      bytes += outcome.bytes;
      if (outcome.fault !== undefined) {
        isProven ||= outcome.fault.startsWith('wrong bytes');
        faults.push(`GET ${at}, ${new URL(one.url).pathname} ${JSON.stringify(one.range ?? 'all')}: ${outcome.fault}`);
      }
      if (random.oneIn(PUT_ONE_IN)) {
        puts += 1;
        const { fault } = await writer.writeOnce(random);
        if (fault !== undefined) faults.push(`${new URL(key.put).pathname}: ${fault}`);
      }
      if (at % 500 === 0) process.stderr.write(`${at} of ${gets} GETs\n`);
    }
  };
  await Promise.all(own.slice(0, clients).map(client));
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.stdout.write(
    `seed ${seed}, ${backend}, TLS behind ${options.backendTls}, in front ${options.tls ? 'on' : 'off'}: ` +
      `${done} GETs, ${puts} PUTs, ${Math.round(bytes / 1e6)} MB, ${faults.length} wrong\n`,
  );
  return faults.length === 0;
}

/** A read of all or a range: so much that a client of this pace is done in time. */
function asked(random: Random, { url, bytes }: Stored): Parameters<typeof readOnce>[0] {
  const manner = mannerOf(random, bytes.length);
  const most = Math.min(bytes.length, KERNEL + Math.floor(manner.rate * MOST_MS));
  if (most === bytes.length && random.oneIn(2)) return { url, range: undefined, expected: bytes, manner };
  const size = 1 + random.below(most);
  const first = random.below(bytes.length - size + 1);
  const last = first + size - 1;
  return { url, range: [first, last], expected: bytes.subarray(first, last + 1), manner };
}
