import { createHash, randomBytes } from 'node:crypto';

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** Parsed, if it is JSON; else empty. */
  readonly json: Json;
}

/** Fields of an answer; what is not there is undefined, and a comparison says so. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers of strangers, looked at by assertions only
type Json = Readonly<Record<string, any>>;

type QueryValues = Readonly<Record<string, string | number | undefined>>;

interface RawOptions {
  readonly query?: QueryValues;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object goes out as JSON. */
  readonly body?: Uint8Array | string | object;
}

/** The wire, without the adapter: what the contract suite speaks. */
export class RawGcs {
  readonly endpoint: string;
  #made = 0;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
  }

  async send(method: string, path: string, { query = {}, headers = {}, body }: RawOptions = {}): Promise<RawAnswer> {
    const url = path.startsWith('http') ? path : `${this.endpoint}${path}${queryText(query)}`;
    const json = typeof body === 'object' && !(body instanceof Uint8Array);
    const sent = json ? JSON.stringify(body) : body;
    const type = json ? { 'content-type': 'application/json' } : {};
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { 'accept-encoding': 'gzip', ...type, ...headers },
      ...(sent !== undefined && { body: sent as string | Uint8Array<ArrayBuffer> }),
      signal: AbortSignal.timeout(15_000),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      text: bytes.toString('utf8'),
      json: parsed(bytes.toString('utf8')),
    };
  }

  fresh(hint: string): string {
    this.#made += 1;
    return `${hint}-${randomBytes(4).toString('hex')}-${this.#made}`;
  }

  async newBucket(resource: object = {}): Promise<string> {
    const name = this.fresh('contract');
    await this.send('POST', '/storage/v1/b', { query: { project: 'demo-p' }, body: { name, ...resource } });
    return name;
  }

  bucket(bucket: string): string {
    return `/storage/v1/b/${bucket}`;
  }

  object(bucket: string, name: string): string {
    return `/storage/v1/b/${bucket}/o/${encodeURIComponent(name)}`;
  }

  xml(bucket: string, name: string): string {
    return `/${bucket}/${encodeURIComponent(name).replaceAll('%2F', '/')}`;
  }

  /** `uploadType=media`. */
  media(
    bucket: string,
    name: string,
    body: Uint8Array | string,
    { query, headers }: RawOptions = {},
  ): Promise<RawAnswer> {
    const options = {
      query: { uploadType: 'media', name, ...query },
      headers: { 'content-type': 'text/plain', ...headers },
      body: Buffer.from(body),
    };
    return this.send('POST', `/upload/storage/v1/b/${bucket}/o`, options);
  }

  /** `uploadType=multipart`; `resource` names the object. */
  multipart(bucket: string, resource: Json, body: Uint8Array | string, query: QueryValues = {}): Promise<RawAnswer> {
    const type = String(resource['contentType'] ?? 'application/octet-stream');
    const head = `--zzBOUNDzz\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(resource)}\r\n--zzBOUNDzz\r\nContent-Type: ${type}\r\n\r\n`;
    const whole = Buffer.concat([Buffer.from(head), Buffer.from(body), Buffer.from('\r\n--zzBOUNDzz--\r\n')]);
    const headers = { 'content-type': 'multipart/related; boundary=zzBOUNDzz' };
    return this.send('POST', `/upload/storage/v1/b/${bucket}/o`, {
      query: { uploadType: 'multipart', ...query },
      headers,
      body: whole,
    });
  }

  /** Starts a resumable upload; `put` sends one chunk. */
  async resumable(bucket: string, name: string, query: QueryValues = {}, resource: object = {}): Promise<Resumable> {
    const started = await this.send('POST', `/upload/storage/v1/b/${bucket}/o`, {
      query: { uploadType: 'resumable', name, ...query },
      body: resource,
    });
    const location = started.headers.get('location') ?? '';
    return {
      started,
      location,
      put: (range, body) =>
        this.send('PUT', location, {
          headers: { 'content-range': `bytes ${range}` },
          ...(body !== undefined && { body }),
        }),
      cancel: () => this.send('DELETE', location),
    };
  }

  get(bucket: string, name: string, options: RawOptions = {}): Promise<RawAnswer> {
    return this.send('GET', this.object(bucket, name), options);
  }

  read(bucket: string, name: string, { query, ...options }: RawOptions = {}): Promise<RawAnswer> {
    return this.send('GET', this.object(bucket, name), { ...options, query: { alt: 'media', ...query } });
  }

  patch(bucket: string, name: string, body: object, query: QueryValues = {}): Promise<RawAnswer> {
    return this.send('PATCH', this.object(bucket, name), { query, body });
  }

  delete(bucket: string, name: string, query: QueryValues = {}): Promise<RawAnswer> {
    return this.send('DELETE', this.object(bucket, name), { query });
  }

  compose(
    bucket: string,
    name: string,
    sourceObjects: readonly object[],
    more: { destination?: object; query?: QueryValues } = {},
  ): Promise<RawAnswer> {
    const { destination = {}, query = {} } = more;
    return this.send('POST', `${this.object(bucket, name)}/compose`, { query, body: { sourceObjects, destination } });
  }

  rewrite(
    source: readonly [string, string],
    target: readonly [string, string],
    { query, body = {} }: RawOptions = {},
  ): Promise<RawAnswer> {
    const path = `${this.object(...source)}/rewriteTo/b/${target[0]}/o/${encodeURIComponent(target[1])}`;
    return this.send('POST', path, { query: query ?? {}, body });
  }

  list(bucket: string, query: QueryValues = {}): Promise<RawAnswer> {
    return this.send('GET', `${this.bucket(bucket)}/o`, { query });
  }

  async names(bucket: string, query: QueryValues = {}): Promise<string[]> {
    const items = ((await this.list(bucket, query)).json['items'] ?? []) as Json[];
    return items.map((item) => String(item['name']));
  }
}

interface Resumable {
  readonly started: RawAnswer;
  readonly location: string;
  /** @param range as in `Content-Range`, without `bytes` */
  put(range: string, body?: Uint8Array): Promise<RawAnswer>;
  cancel(): Promise<RawAnswer>;
}

export function md5(bytes: Uint8Array | string): string {
  return createHash('md5').update(bytes).digest('base64');
}

/** How many of 20 calls at once succeed. */
export async function winners(attempt: (racer: number) => Promise<RawAnswer>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: 20 }, (_, racer) => attempt(racer)));
  return answers.filter(({ status }) => status < 300).length;
}

function queryText(query: QueryValues): string {
  const given = Object.entries(query).filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}
