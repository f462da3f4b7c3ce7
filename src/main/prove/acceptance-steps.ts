import { createHash, randomBytes } from 'node:crypto';
import type { S3Answer, S3Client, ClientRequest } from './s3-client.ts';

/** What the steps share. */
export interface Stage {
  readonly bucket: string;
  client: S3Client;
  readonly restart: () => Promise<S3Client>;
  /** What one step leaves for another: upload ids, ETags, version ids. */
  readonly kept: Map<string, string>;
}

interface Step {
  readonly step: string;
  /** No later step makes sense without it. */
  readonly isNeeded?: boolean;
  readonly run: (stage: Stage) => Promise<void>;
}

/** An answer that S3 would not give. The message names no bucket. */
export class UnexpectedAnswer extends Error {}

const TEXT = Buffer.from('some text for a proof');
/** The least that a part but the last may have. */
const PART = randomBytes(5 * 1024 * 1024);
const LAST_PART = randomBytes(1000);
/** In the order in which S3 lists them. */
const KEYS = [
  'odd/ space',
  'odd/%41',
  'odd/..',
  'odd/a+b&c',
  'odd/dir/one',
  'odd/dir/two',
  'odd/\ufffd',
  'odd/\u{1f600}',
];

export const ACCEPTANCE_STEPS: readonly Step[] = [
  {
    step: 'CreateBucket',
    isNeeded: true,
    run: async (stage) => {
      await expecting(stage, 200, 'PUT', '');
    },
  },
  {
    step: 'PutObject answers the MD5 as ETag; GetObject, HeadObject and a range answer what was put',
    run: async (stage) => {
      const headers = { 'content-type': 'text/x-proof', 'x-amz-meta-kind': 'proof' };
      const { headers: put } = await expecting(stage, 200, 'PUT', 'plain', { headers, body: TEXT });
      equal('ETag', put.etag, `"${md5(TEXT).toString('hex')}"`);
      const { body, headers: got } = await expecting(stage, 200, 'GET', 'plain');
      equal('bytes', body.toString('hex'), TEXT.toString('hex'));
      equal('metadata', `${got['content-type'] ?? ''} ${String(got['x-amz-meta-kind'])}`, 'text/x-proof proof');
      const part = await expecting(stage, 206, 'GET', 'plain', { headers: { range: 'bytes=5-8' } });
      equal('range', part.body.toString(), 'text');
    },
  },
  {
    step: 'PutObject with a wrong Content-MD5 is refused, and leaves nothing',
    run: async (stage) => {
      const headers = { 'content-md5': md5(Buffer.from('other')).toString('base64') };
      refused(await expecting(stage, 400, 'PUT', 'damaged', { headers, body: TEXT }), 'BadDigest');
      await expecting(stage, 404, 'HEAD', 'damaged');
    },
  },
  {
    step: 'of eight PutObjects with If-None-Match: * at once one succeeds',
    run: async (stage) => {
      const headers = { 'if-none-match': '*' };
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          stage.client.send('PUT', `/${stage.bucket}/once`, { headers, body: Buffer.from(`writer ${index}`) }),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      equal('successes', statuses.filter((status) => status === 200).length, 1);
      equal('refusals', statuses.filter((status) => status === 412 || status === 409).length, 7);
    },
  },
  {
    step: 'PutObject with If-Match of an earlier ETag is refused',
    run: async (stage) => {
      const { headers: first } = await expecting(stage, 200, 'PUT', 'matched', { body: TEXT });
      await expecting(stage, 200, 'PUT', 'matched', { body: LAST_PART });
      const headers = { 'if-match': String(first.etag) };
      refused(await expecting(stage, 412, 'PUT', 'matched', { headers, body: TEXT }), 'PreconditionFailed');
    },
  },
  {
    step: 'ListObjectsV2 lists odd keys in the order of UTF-8, with delimiter, prefix and start-after',
    run: async (stage) => {
      for (const key of KEYS) await expecting(stage, 200, 'PUT', key, { body: TEXT });
      equal('keys', await listed(stage, { prefix: 'odd/' }), KEYS.join('|'));
      equal('after', await listed(stage, { prefix: 'odd/', 'start-after': 'odd/dir/one' }), KEYS.slice(5).join('|'));
      const { body } = await expecting(stage, 200, 'GET', '', {
        query: { 'list-type': '2', prefix: 'odd/', delimiter: '/' },
      });
      equal('prefixes', /<CommonPrefixes><Prefix>([^<]*)/.exec(body.toString())?.[1], 'odd/dir/');
    },
  },
  {
    step: 'CopyObject copies bytes, and takes other metadata',
    run: async (stage) => {
      const headers = { 'x-amz-copy-source': `/${stage.bucket}/plain`, 'x-amz-metadata-directive': 'REPLACE' };
      await expecting(stage, 200, 'PUT', 'copied', { headers: { ...headers, 'x-amz-meta-kind': 'copy' } });
      const { body, headers: got } = await expecting(stage, 200, 'GET', 'copied');
      equal('copy', `${body.toString()} ${String(got['x-amz-meta-kind'])}`, `${TEXT.toString()} copy`);
    },
  },
  {
    step: 'object tags are put and read; the bytes stay',
    run: async (stage) => {
      const body = Buffer.from('<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>');
      const headers = { 'content-md5': md5(body).toString('base64') };
      await expecting(stage, 200, 'PUT', 'plain', { query: { tagging: '' }, headers, body });
      const answer = await expecting(stage, 200, 'GET', 'plain', { query: { tagging: '' } });
      equal('tag', /<Value>([^<]*)/.exec(answer.body.toString())?.[1], 'v');
      equal('bytes', (await expecting(stage, 200, 'GET', 'plain')).body.toString(), TEXT.toString());
    },
  },
  {
    step: 'CreateMultipartUpload and UploadPart',
    run: async (stage) => {
      const { body } = await expecting(stage, 200, 'POST', 'parts', { query: { uploads: '' } });
      const uploadId = /<UploadId>([^<]+)/.exec(body.toString())?.[1] ?? '';
      stage.kept.set('uploadId', uploadId);
      const query = { partNumber: '1', uploadId };
      const { headers } = await expecting(stage, 200, 'PUT', 'parts', { query, body: PART });
      equal('ETag', headers.etag, `"${md5(PART).toString('hex')}"`);
    },
  },
  {
    step: 'the gateway is started anew: objects and the open upload are there',
    isNeeded: true,
    run: async (stage) => {
      stage.client = await stage.restart();
      equal('bytes', (await expecting(stage, 200, 'GET', 'plain')).body.toString(), TEXT.toString());
      const query = { uploadId: stage.kept.get('uploadId') ?? '' };
      const { body } = await expecting(stage, 200, 'GET', 'parts', { query });
      equal('part', /<PartNumber>([^<]*)/.exec(body.toString())?.[1], '1');
    },
  },
  {
    step: 'CompleteMultipartUpload by the new gateway, and once more; every byte comes back',
    run: async (stage) => {
      const uploadId = stage.kept.get('uploadId') ?? '';
      await expecting(stage, 200, 'PUT', 'parts', { query: { partNumber: '2', uploadId }, body: LAST_PART });
      const parts = [PART, LAST_PART].map(
        (part, index) =>
          `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${md5(part).toString('hex')}"</ETag></Part>`,
      );
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
      for (const round of ['first', 'second']) {
        const answer = await expecting(stage, 200, 'POST', 'parts', { query: { uploadId }, body });
        const etag = /<ETag>([^<]*)/.exec(answer.body.toString())?.[1]?.replaceAll(/&quot;|&#34;|"/g, '');
        const whole = md5(Buffer.concat([md5(PART), md5(LAST_PART)])).toString('hex');
        equal(`ETag of the ${round} answer`, etag, `${whole}-2`);
      }
      const read = await expecting(stage, 200, 'GET', 'parts');
      equal('MD5', md5(read.body).toString('hex'), md5(Buffer.concat([PART, LAST_PART])).toString('hex'));
    },
  },
  {
    step: 'in a bucket with versions an overwritten and deleted object comes back',
    run: async (stage) => {
      const status = Buffer.from('<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>');
      await expecting(stage, 200, 'PUT', '', { query: { versioning: '' }, body: status });
      const { headers: first } = await expecting(stage, 200, 'PUT', 'versioned', { body: Buffer.from('first') });
      await expecting(stage, 200, 'PUT', 'versioned', { body: Buffer.from('second') });
      const { headers: marker } = await expecting(stage, 204, 'DELETE', 'versioned');
      await expecting(stage, 404, 'GET', 'versioned');
      const query = { versionId: String(first['x-amz-version-id']) };
      equal('first', (await expecting(stage, 200, 'GET', 'versioned', { query })).body.toString(), 'first');
      const markerId = { versionId: String(marker['x-amz-version-id']) };
      await expecting(stage, 204, 'DELETE', 'versioned', { query: markerId });
      equal('current', (await expecting(stage, 200, 'GET', 'versioned')).body.toString(), 'second');
    },
  },
  {
    step: 'DeleteBucket of a bucket that is not empty is refused',
    run: async (stage) => refused(await expecting(stage, 409, 'DELETE', ''), 'BucketNotEmpty'),
  },
  {
    step: 'DeleteObjects removes every version, and DeleteBucket the bucket',
    run: async (stage) => {
      const { body } = await expecting(stage, 200, 'GET', '', { query: { versions: '' } });
      const versions = [...body.toString().matchAll(/<Key>([^<]*)<\/Key><VersionId>([^<]*)/g)];
      const objects = versions.map(
        ([, key, version]) => `<Object><Key>${key ?? ''}</Key><VersionId>${version ?? ''}</VersionId></Object>`,
      );
      const wanted = Buffer.from(`<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`);
      const headers = { 'content-md5': md5(wanted).toString('base64') };
      const answer = await expecting(stage, 200, 'POST', '', { query: { delete: '' }, headers, body: wanted });
      equal('errors', /<Error>.*?<Code>([^<]*)/.exec(answer.body.toString())?.[1], undefined);
      await expecting(stage, 204, 'DELETE', '');
      await expecting(stage, 404, 'HEAD', '');
    },
  },
];

async function expecting(
  { client, bucket }: Stage,
  status: number,
  method: string,
  key: string,
  request: ClientRequest = {},
): Promise<S3Answer> {
  const answer = await client.send(method, key === '' ? `/${bucket}` : `/${bucket}/${key}`, request);
  if (answer.status === status) return answer;
  const code = codeOf(answer);
  throw new UnexpectedAnswer(`${method}: ${answer.status}${code === undefined ? '' : ` ${code}`} instead of ${status}`);
}

function refused(answer: S3Answer, code: string): void {
  equal('code', codeOf(answer), code);
}

function codeOf({ body }: S3Answer): string | undefined {
  return /<Code>(\w+)<\/Code>/.exec(body.toString())?.[1];
}

function equal(what: string, seen: unknown, expected: unknown): void {
  if (seen !== expected) throw new UnexpectedAnswer(`${what}: ${String(seen)} instead of ${String(expected)}`);
}

async function listed(stage: Stage, query: Record<string, string>): Promise<string> {
  const { body } = await expecting(stage, 200, 'GET', '', {
    query: { 'list-type': '2', 'encoding-type': 'url', ...query },
  });
  const keys = [...body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)];
  return keys.map(([, key = '']) => decodeURIComponent(key.replaceAll('+', ' '))).join('|');
}

function md5(bytes: Uint8Array): Buffer {
  return createHash('md5').update(bytes).digest();
}
