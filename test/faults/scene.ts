import { createHash } from 'node:crypto';
import type { ProxiedCall } from '../support/backends/fault-proxy/fault.ts';
import { type RawAnswer, RawConnection } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { type World, element } from '../wire/spec/world.ts';

export type Versioning = 'never' | 'enabled' | 'suspended' | 'locked';

/** A request as it is sent; a payload hash other than the default frames the body itself. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly payloadHash?: string;
}

/** `200`, `404 NoSuchKey`; of an error within a 200 its code as well: `200 ServiceUnavailable`. */
export function outcomeOf({ status, body }: RawAnswer): string {
  const code = /<Code>(\w+)<\/Code>/.exec(body)?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}

export async function sendTo(
  port: number,
  { method, target, headers = {}, body = '', payloadHash }: Request,
): Promise<RawAnswer> {
  const all = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const connection = await RawConnection.open(port);
  try {
    connection.send(
      signedHead({ method, target, headers: all, ...(payloadHash !== undefined && { payloadHash }) }) + body,
    );
    return await connection.answer(method);
  } finally {
    connection.close();
  }
}

const CUSTOMER_KEY = Buffer.alloc(32, 'a key of a customer, ');

/** The headers of a client that shows its key: for what it names, or for the source that it copies. */
export function shownKey(prefix = 'x-amz'): Record<string, string> {
  const said = `${prefix}-server-side-encryption-customer`;
  return {
    [`${said}-algorithm`]: 'AES256',
    [`${said}-key`]: CUSTOMER_KEY.toString('base64'),
    [`${said}-key-md5`]: createHash('md5').update(CUSTOMER_KEY).digest('base64'),
  };
}

/** One key of its own in a bucket, and what it has been through. */
export interface Scene {
  readonly world: World;
  readonly bucket: string;
  readonly key: string;
  /** An object of the same bucket that nobody changes, and one that is encrypted with the customer's key. */
  readonly source: string;
  readonly encryptedSource: string;
  /** Version ids of what was put, oldest first. */
  readonly versions: readonly string[];
  /** ETag of what was put last. */
  readonly etag: string;
  /** Of an upload with one part, where the operation wants one. */
  readonly upload: { readonly id: string; readonly etag: string };
}

export function targetOf({ bucket, key }: Pick<Scene, 'bucket' | 'key'>, query = ''): string {
  return `/${bucket}/${key}${query === '' ? '' : `?${query}`}`;
}

/**
 * All that clients can see of a key, ids and times left out, so that it can be compared with another key's: versions
 * and markers with their bytes, what GET and HEAD say, tags, grants, open uploads with their parts.
 */
export async function observe({ world, bucket, key }: Scene): Promise<string[]> {
  const { port } = world.gateway;
  const get = async (target: string): Promise<RawAnswer> => {
    const plain = await sendTo(port, { method: 'GET', target });
    if (plain.status !== 400) return plain;
    const { headers, ...answer } = await sendTo(port, { method: 'GET', target, headers: shownKey() });
    // The ETag of what is encrypted is another each time.
    return { ...answer, headers: { ...headers, etag: 'of encrypted bytes' } };
  };
  const at = (query: string): string => targetOf({ bucket, key }, query);
  const seen: string[] = [];
  for (const entry of await historyOf(world, bucket, key)) {
    const text = entry.kind === 'marker' ? '' : shortened(await get(at(`versionId=${entry.id}`)));
    seen.push(`${entry.latest ? 'latest ' : ''}${entry.id === 'null' ? 'null ' : ''}${entry.kind} ${text}`.trim());
  }
  const current = await get(at(''));
  seen.push(
    `GET ${shortened(current)} ${current.headers['etag'] ?? ''} ${current.headers['x-amz-checksum-crc32'] ?? ''}`.trim(),
  );
  if (current.status === 200) {
    seen.push(
      `tags ${[...(await get(at('tagging'))).body.matchAll(/<Key>(\w+)</g)].map(([, name]) => name).join(',')}`,
    );
    seen.push(
      `grants ${[...(await get(at('acl'))).body.matchAll(/<Permission>(\w+)</g)].map(([, name]) => name).join(',')}`,
    );
    seen.push(`hold ${element((await get(at('legal-hold'))).body, 'Status')}`);
  }
  const uploads = await get(`/${bucket}?uploads&prefix=${key}`);
  for (const [, id = ''] of uploads.body.matchAll(/<UploadId>([^<]+)</g)) {
    const parts = await get(at(`uploadId=${id}`));
    seen.push(`upload ${[...parts.body.matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => number).join(',')}`);
  }
  return seen;
}

interface HistoryEntry {
  readonly kind: 'version' | 'marker';
  readonly id: string;
  readonly latest: boolean;
}

/** Newest first. */
export async function historyOf(world: World, bucket: string, key: string): Promise<HistoryEntry[]> {
  const { body } = await world.must('GET', `/${bucket}?versions&prefix=${key}`);
  return [...body.matchAll(/<(Version|DeleteMarker)>(.*?)<\/\1>/gs)].map(([, kind, entry = '']) => ({
    kind: kind === 'Version' ? 'version' : 'marker',
    id: element(entry, 'VersionId'),
    latest: element(entry, 'IsLatest') === 'true',
  }));
}

function shortened(answer: RawAnswer): string {
  return answer.status === 200 ? `${answer.body.slice(0, 20)} (${answer.body.length})` : outcomeOf(answer);
}

/**
 * Calls that stage something in a container that clients see: on Azure blocks and lists of blocks, on Cloud Storage
 * parts.
 */
export function stagedInTheOpen(calls: readonly ProxiedCall[], system: string): string[] {
  const isStaging = ({ target, name, changes }: ProxiedCall): boolean =>
    changes && (/[?&]comp=block(?:list)?(?:&|$)/.test(target) || name?.startsWith('~parts/') === true);
  return calls
    .filter((call) => call.container !== system && isStaging(call))
    .map(({ method, target }) => `${method} ${target}`);
}
