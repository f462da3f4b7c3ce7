import { readFile } from 'node:fs/promises';
import type { ManagementFailure, ManagedBucket, ShownQuota, ShownUser } from '../../admin/manage/contract.ts';
import { askBounded } from '../../streams/bounded-http.ts';
import { wordsOf } from '../start-error.ts';
import type { AccessKeyPair } from './access-keys.ts';
import { type CosiCode, CosiRefusal } from './cosi-refusal.ts';

const BASE = '/api/admin/v1';

/** What becomes of the codes of the admin API. */
const CODES: Readonly<Record<string, CosiCode>> = {
  ValidationError: 'INVALID_ARGUMENT',
  InvalidBucketName: 'INVALID_ARGUMENT',
  InvalidInput: 'INVALID_ARGUMENT',
  AccessDenied: 'PERMISSION_DENIED',
  NoSuchBucket: 'NOT_FOUND',
  NoSuchEntity: 'FAILED_PRECONDITION',
  UnmodifiableEntity: 'FAILED_PRECONDITION',
  EntityAlreadyExists: 'FAILED_PRECONDITION',
  BucketNotEmpty: 'FAILED_PRECONDITION',
  BucketAlreadyExists: 'ALREADY_EXISTS',
  ConcurrentModification: 'ABORTED',
  OperationAborted: 'ABORTED',
  LimitExceeded: 'RESOURCE_EXHAUSTED',
};

/** Answers without a code come from the guard of the admin port, or from a gateway without that API. */
const STATUSES: Readonly<Record<number, { readonly code: CosiCode; readonly words: string }>> = {
  401: { code: 'UNAUTHENTICATED', words: 'it does not accept the token of the driver' },
  403: { code: 'PERMISSION_DENIED', words: 'the token of the driver may not manage' },
  404: { code: 'UNIMPLEMENTED', words: 'it has no admin API (admin.manage)' },
  429: { code: 'RESOURCE_EXHAUSTED', words: 'it has been asked with wrong tokens too often' },
};

/** Missing things that a reader takes for an answer. */
const MISSING = ['NoSuchEntity', 'NoSuchBucket'];
/** What is gone when it is to be removed: no bucket has a name that none can have. */
const GONE = [...MISSING, 'InvalidBucketName'];

export interface UserAccess {
  readonly buckets: readonly string[];
  readonly prefix?: string;
  readonly readOnly?: boolean;
}

/** What a user of the gateway may do, and why it may do nothing at the moment. */
interface FoundAccess extends UserAccess {
  readonly fault?: string;
}

interface BucketSettings {
  readonly account: string;
  readonly objectLock: boolean;
  readonly backend?: string;
}

interface Place {
  /** Base URL of an admin port. */
  readonly url: string;
  /** Read for each call, since it may be replaced. */
  readonly tokenFile: string;
}

interface Asked {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Not encoded yet. */
  readonly path: readonly string[];
  readonly body?: object;
}

/** The calls of the admin API that the driver makes. All of them throw a `CosiRefusal`. */
export class BucketAdmin {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  /** The account that owns a bucket; undefined: there is no such bucket. */
  async ownerOf(bucket: string, signal: AbortSignal): Promise<string | undefined> {
    const found = await this.#find<ManagedBucket>(['buckets', bucket], signal);
    return found?.account;
  }

  /** One that is there already, with the same settings, is left as it is. */
  async createBucket(bucket: string, settings: BucketSettings, signal: AbortSignal): Promise<void> {
    await this.#ask({ method: 'PUT', path: ['buckets', bucket], body: settings }, signal);
  }

  /** With its quota, which the API keeps by the bucket's name. One that is gone already stays so. */
  async deleteBucket(bucket: string, signal: AbortSignal): Promise<void> {
    await this.#remove(['buckets', bucket], signal);
    await this.#remove(['buckets', bucket, 'quota'], signal);
  }

  async quotaOf(bucket: string, signal: AbortSignal): Promise<ShownQuota | undefined> {
    return this.#find<ShownQuota>(['buckets', bucket, 'quota'], signal);
  }

  async setQuota(bucket: string, quota: ShownQuota, signal: AbortSignal): Promise<void> {
    await this.#ask({ method: 'PUT', path: ['buckets', bucket, 'quota'], body: quota }, signal);
  }

  /** What a user may do; undefined: there is no such user. */
  async accessOf(account: string, user: string, signal: AbortSignal): Promise<FoundAccess | undefined> {
    const found = await this.#find<ShownUser>(userPath(account, user), signal);
    if (found === undefined) return undefined;
    return { buckets: [], ...found.settings, ...(found.fault !== undefined && { fault: found.fault }) };
  }

  async putUser(account: string, user: string, access: UserAccess, signal: AbortSignal): Promise<void> {
    await this.#ask({ method: 'PUT', path: userPath(account, user), body: access }, signal);
  }

  async putKey(account: string, user: string, key: AccessKeyPair, signal: AbortSignal): Promise<void> {
    const { accessKeyId, secretAccessKey } = key;
    const path = [...userPath(account, user), 'keys', accessKeyId];
    await this.#ask({ method: 'PUT', path, body: { secretAccessKey } }, signal);
  }

  /** With its keys. One that is gone already stays so. */
  async deleteUser(account: string, user: string, signal: AbortSignal): Promise<void> {
    await this.#remove(userPath(account, user), signal);
  }

  async #find<T>(path: readonly string[], signal: AbortSignal): Promise<T | undefined> {
    const { status, body } = await this.#send({ method: 'GET', path }, signal);
    if (MISSING.includes(failureIn(body).code)) return undefined;
    return expectGood(status, body) as T;
  }

  async #remove(path: readonly string[], signal: AbortSignal): Promise<void> {
    const { status, body } = await this.#send({ method: 'DELETE', path }, signal);
    if (!GONE.includes(failureIn(body).code)) expectGood(status, body);
  }

  async #ask(asked: Asked, signal: AbortSignal): Promise<void> {
    const { status, body } = await this.#send(asked, signal);
    expectGood(status, body);
  }

  async #send(
    { method, path, body }: Asked,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    const { url, tokenFile } = this.#place;
    // A URL has no way to spell these: they would lead to another path.
    if (path.some((name) => name === '.' || name === '..')) {
      throw new CosiRefusal('INVALID_ARGUMENT', `${path.join('/')}: expected names`);
    }
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      const token = await readFile(tokenFile, { encoding: 'utf8', signal });
      const headers = {
        authorization: `Bearer ${token.split('\n')[0]?.trim() ?? ''}`,
        accept: 'application/json',
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      };
      const target = new URL(`${url}${BASE}/${path.map(encodeURIComponent).join('/')}`);
      const answer = await askBounded(target, { method, headers, signal, ...(text !== undefined && { body: text }) });
      return { status: answer.status, body: answer.body === '' ? undefined : (JSON.parse(answer.body) as unknown) };
    } catch (error) {
      throw new CosiRefusal('UNAVAILABLE', `the gateway's admin port: ${wordsOf(error)}`, error);
    }
  }
}

const userPath = (account: string, user: string): string[] => ['accounts', account, 'users', user];

/** The API's own words for a failure; empty where the answer has none. */
function failureIn(body: unknown): Required<ManagementFailure> {
  const { code, error } = typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  return { code: typeof code === 'string' ? code : '', error: typeof error === 'string' ? error : '' };
}

/** @returns the body of an answer that is no failure @throws CosiRefusal */
function expectGood(status: number, body: unknown): unknown {
  if (status >= 200 && status < 300) return body;
  const { code, error } = failureIn(body);
  const known = code === '' ? STATUSES[status] : undefined;
  const fallback = status >= 500 ? 'UNAVAILABLE' : 'INTERNAL';
  throw new CosiRefusal(
    known?.code ?? CODES[code] ?? fallback,
    `the gateway: ${known?.words ?? (error === '' ? `it answers ${status}` : error)}`,
  );
}
