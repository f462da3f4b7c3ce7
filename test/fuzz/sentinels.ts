import { randomBytes } from 'node:crypto';
import { type At, type RawAnswer, roundTrip } from '../support/clients/raw-http.ts';
import { type RawRequestOptions, signedHead, THIRD_ACCESS_KEY } from '../support/clients/sign-raw.ts';

const VERSIONING = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const BUCKETS = ['guard-plain', 'guard-versioned'];
const KEYS = ['secret-1', 'secret-2', 'dir/secret-3'];

/**
 * Objects of an account that none of the fuzzer's requests is signed for: they must stay as they are, and nobody may
 * see them.
 */
export class Sentinels {
  /** Stands in their bodies and metadata, and nowhere else. */
  readonly marker = `sentinel${randomBytes(8).toString('hex')}`;
  readonly #at: At;
  #before = '';

  constructor(at: At) {
    this.#at = at;
  }

  async place(): Promise<void> {
    for (const bucket of BUCKETS) {
      await this.#done({ method: 'PUT', target: `/${bucket}` });
      if (bucket === 'guard-versioned') {
        await this.#done({ method: 'PUT', target: `/${bucket}?versioning` }, VERSIONING);
      }
      for (const key of KEYS) {
        for (const copy of [1, 2]) {
          await this.#done(
            { method: 'PUT', target: `/${bucket}/${key}`, headers: { 'x-amz-meta-mark': this.marker } },
            `${this.marker} ${key} ${copy}`,
          );
        }
      }
    }
    this.#before = await this.#state();
  }

  /** @returns what has changed; empty when nothing has */
  async changes(): Promise<string> {
    const after = await this.#state();
    return after === this.#before ? '' : `before:\n${this.#before}\nafter:\n${after}`;
  }

  async #state(): Promise<string> {
    const parts: string[] = [];
    for (const bucket of BUCKETS) {
      for (const sub of ['versions', 'acl', 'versioning', 'uploads']) {
        parts.push((await this.#send({ target: `/${bucket}?${sub}` })).body);
      }
      for (const key of KEYS) {
        const { body, headers } = await this.#send({ target: `/${bucket}/${key}` });
        parts.push(
          `${body} ${headers['etag'] ?? ''} ${headers['x-amz-meta-mark'] ?? ''} ${headers['last-modified'] ?? ''}`,
          (await this.#send({ target: `/${bucket}/${key}?acl` })).body,
        );
      }
    }
    return parts.join('\n');
  }

  async #done(options: RawRequestOptions, body = ''): Promise<void> {
    const { status, body: answer } = await this.#send(options, body);
    if (status !== 200) throw new Error(`${options.method ?? 'GET'} ${options.target}: ${status} ${answer}`);
  }

  #send(options: RawRequestOptions, body = ''): Promise<RawAnswer> {
    const headers = { 'content-length': String(body.length), ...options.headers };
    return roundTrip(this.#at, signedHead({ ...options, headers, accessKey: THIRD_ACCESS_KEY }) + body, options.method);
  }
}
