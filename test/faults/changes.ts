import { createHash } from 'node:crypto';
import { crc32 } from '@node-rs/crc32';
import { type Request, type Scene, type Versioning, shownKey, targetOf } from './scene.ts';

/** An operation that changes something, as one request on a key that is prepared for it. */
export interface Change {
  readonly name: string;
  /** Default: all but `locked`. */
  readonly where?: readonly Versioning[];
  /** The key has never been. Default: it has been put twice. */
  readonly absent?: boolean;
  /** What is prepared, the upload too, is encrypted with the customer's key. */
  readonly encrypted?: boolean;
  /** Sends the client's repetition after an answer that says nothing, and expects the effect of one. */
  readonly idempotent?: boolean;
  readonly request: (scene: Scene) => Request;
}

const LARGE = 'large '.repeat(20_000);
const TAGS = '<Tagging><TagSet><Tag><Key>new</Key><Value>v</Value></Tag></TagSet></Tagging>';
const HOLD = '<LegalHold><Status>ON</Status></LegalHold>';
const HISTORY: readonly Versioning[] = ['enabled', 'suspended'];

function withDigest(body: string): Pick<Request, 'body' | 'headers'> {
  return { body, headers: { 'content-md5': createHash('md5').update(body).digest('base64') } };
}

function put(
  body: string,
  headers: (scene: Scene) => Readonly<Record<string, string>> = () => ({}),
): Change['request'] {
  return (scene) => ({ method: 'PUT', target: targetOf(scene), body, headers: headers(scene) });
}

function remove(
  query: (scene: Scene) => string = () => '',
  headers: (scene: Scene) => Readonly<Record<string, string>> = () => ({}),
): Change['request'] {
  return (scene) => ({ method: 'DELETE', target: targetOf(scene, query(scene)), headers: headers(scene) });
}

function complete(headers: (scene: Scene) => Readonly<Record<string, string>> = () => ({})): Change['request'] {
  return (scene) => ({
    method: 'POST',
    target: targetOf(scene, `uploadId=${scene.upload.id}`),
    body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${scene.upload.etag}</ETag></Part></CompleteMultipartUpload>`,
    headers: headers(scene),
  });
}

/** The checksum comes behind the bytes, when the object has been written already. */
function trailed(scene: Scene): Request {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(LARGE));
  return {
    method: 'PUT',
    target: targetOf(scene),
    payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    headers: {
      'x-amz-trailer': 'x-amz-checksum-crc32',
      'x-amz-decoded-content-length': String(LARGE.length),
      'content-encoding': 'aws-chunked',
    },
    body: `${LARGE.length.toString(16)}\r\n${LARGE}\r\n0\r\nx-amz-checksum-crc32:${sum.toString('base64')}\r\n\r\n`,
  };
}

const ifMatch = ({ etag }: Scene): Record<string, string> => ({ 'if-match': etag });
const IF_ABSENT = (): Record<string, string> => ({ 'if-none-match': '*' });
const newest = ({ versions }: Scene): string => `versionId=${versions.at(-1) ?? ''}`;
const oldest = ({ versions }: Scene): string => `versionId=${versions[0] ?? ''}`;

export const CHANGES: readonly Change[] = [
  { name: 'PUT', request: put('after') },
  { name: 'PUT of a new key', absent: true, request: put('after') },
  { name: 'PUT streamed', request: put(LARGE) },
  { name: 'PUT with its checksum in a trailer', request: trailed },
  { name: 'PUT If-None-Match', absent: true, request: put('after', IF_ABSENT) },
  { name: 'PUT If-None-Match, streamed', absent: true, request: put(LARGE, IF_ABSENT) },
  { name: 'PUT If-Match', request: put('after', ifMatch) },
  { name: 'PUT If-Match, streamed', request: put(LARGE, ifMatch) },
  { name: 'DELETE', request: remove() },
  { name: 'DELETE If-Match', request: remove(() => '', ifMatch) },
  { name: 'DELETE by id, current', request: remove(newest) },
  { name: 'DELETE by id, not current', where: HISTORY, request: remove(oldest) },
  {
    name: 'DeleteObjects',
    request: ({ bucket, key }) => ({
      method: 'POST',
      target: `/${bucket}?delete`,
      ...withDigest(`<Delete><Object><Key>${key}</Key></Object></Delete>`),
    }),
  },
  {
    name: 'PutObjectTagging',
    idempotent: true,
    request: (scene) => ({ method: 'PUT', target: targetOf(scene, 'tagging'), ...withDigest(TAGS) }),
  },
  {
    name: 'PutObjectTagging by id',
    where: HISTORY,
    idempotent: true,
    request: (scene) => ({ method: 'PUT', target: targetOf(scene, `tagging&${newest(scene)}`), ...withDigest(TAGS) }),
  },
  { name: 'DeleteObjectTagging', idempotent: true, request: remove(() => 'tagging') },
  {
    name: 'PutObjectAcl',
    idempotent: true,
    request: (scene) => ({ method: 'PUT', target: targetOf(scene, 'acl'), headers: { 'x-amz-acl': 'public-read' } }),
  },
  {
    name: 'PutObjectLegalHold',
    where: ['locked'],
    idempotent: true,
    request: (scene) => ({ method: 'PUT', target: targetOf(scene, 'legal-hold'), ...withDigest(HOLD) }),
  },
  { name: 'CopyObject', request: put('', ({ bucket, source }) => ({ 'x-amz-copy-source': `${bucket}/${source}` })) },
  {
    name: 'CopyObject If-None-Match',
    absent: true,
    request: put('', ({ bucket, source }) => ({ 'x-amz-copy-source': `${bucket}/${source}`, 'if-none-match': '*' })),
  },
  {
    name: 'CopyObject If-Match',
    request: put('', (scene) => ({ 'x-amz-copy-source': `${scene.bucket}/${scene.source}`, ...ifMatch(scene) })),
  },
  { name: 'CreateMultipartUpload', request: (scene) => ({ method: 'POST', target: targetOf(scene, 'uploads') }) },
  {
    name: 'UploadPart',
    idempotent: true,
    request: (scene) => ({
      method: 'PUT',
      target: targetOf(scene, `partNumber=2&uploadId=${scene.upload.id}`),
      body: 'second part',
    }),
  },
  {
    name: 'UploadPartCopy',
    idempotent: true,
    request: (scene) => ({
      method: 'PUT',
      target: targetOf(scene, `partNumber=2&uploadId=${scene.upload.id}`),
      headers: { 'x-amz-copy-source': `${scene.bucket}/${scene.source}` },
    }),
  },
  { name: 'AbortMultipartUpload', request: remove(({ upload }) => `uploadId=${upload.id}`) },
  { name: 'CompleteMultipartUpload', idempotent: true, request: complete() },
  { name: 'CompleteMultipartUpload of a new key', absent: true, idempotent: true, request: complete() },
  { name: 'CompleteMultipartUpload If-None-Match', absent: true, idempotent: true, request: complete(IF_ABSENT) },
  { name: 'CompleteMultipartUpload If-Match', idempotent: true, request: complete(ifMatch) },
  ...underKeys(),
];

/** The bytes lie in blobs of their own, written before what names them. */
function underKeys(): Change[] {
  const key = shownKey();
  const from = ({ bucket, encryptedSource }: Scene): Record<string, string> => ({
    'x-amz-copy-source': `${bucket}/${encryptedSource}`,
    ...shownKey('x-amz-copy-source'),
  });
  const partOf = (scene: Scene): string => targetOf(scene, `partNumber=2&uploadId=${scene.upload.id}`);
  return [
    { name: 'PUT under a key', request: put('after', () => key) },
    { name: 'PUT under a key, over one', encrypted: true, request: put(LARGE, () => key) },
    { name: 'PUT over one under a key', encrypted: true, request: put('after') },
    { name: 'PUT under a key If-None-Match', absent: true, request: put('after', () => ({ ...key, ...IF_ABSENT() })) },
    {
      name: 'PUT under a key If-Match',
      encrypted: true,
      request: put('after', (scene) => ({ ...key, ...ifMatch(scene) })),
    },
    { name: 'DELETE of one under a key', encrypted: true, request: remove() },
    { name: 'DELETE by id of one under a key', encrypted: true, request: remove(newest) },
    {
      name: 'PutObjectTagging of one under a key',
      encrypted: true,
      idempotent: true,
      request: (scene) => ({ method: 'PUT', target: targetOf(scene, 'tagging'), ...withDigest(TAGS) }),
    },
    { name: 'CopyObject to a key', request: put('', (scene) => ({ ...from(scene), ...key })) },
    { name: 'CopyObject from a key', encrypted: true, request: put('', from) },
    {
      name: 'UploadPart under a key',
      encrypted: true,
      idempotent: true,
      request: (scene) => ({ method: 'PUT', target: partOf(scene), body: 'second part', headers: key }),
    },
    {
      name: 'UploadPartCopy under a key',
      encrypted: true,
      idempotent: true,
      request: (scene) => ({ method: 'PUT', target: partOf(scene), headers: { ...from(scene), ...key } }),
    },
    {
      name: 'AbortMultipartUpload under a key',
      encrypted: true,
      request: remove(({ upload }) => `uploadId=${upload.id}`),
    },
    { name: 'CompleteMultipartUpload under a key', encrypted: true, idempotent: true, request: complete() },
    {
      name: 'CompleteMultipartUpload under a key If-None-Match',
      absent: true,
      encrypted: true,
      idempotent: true,
      request: complete(IF_ABSENT),
    },
  ];
}
