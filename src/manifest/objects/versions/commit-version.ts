import type { Call } from '../../../observe/call.ts';
import { hasWriteConditions } from '../../../protocol/conditions.ts';
import type { Condition } from '../../../store/blob-store.ts';
import { StoreError } from '../../../store/store-error.ts';
import { newNonce } from '../../records/clock.ts';
import { headPlace } from '../../records/names.ts';
import { linkMetadata } from '../../records/overflow.ts';
import type { ObjectRecord } from '../../records/record.ts';
import { type VersionToken, newToken } from '../../records/version-token.ts';
import { rewriteRecord } from '../head-amend.ts';
import { type Found, type HeadChange, type HeadTarget, type QueueMoment, carriesNonce, changeHead, conflict, noncesAmended, ringAfter } from '../head-commit.ts';
import { type Head, nativeRecord } from '../head.ts';
import type { ObjectsContext } from '../object-context.ts';
import { type Inherited, displace, isBehind, redo } from './displace.ts';
import { isDraining, placeHead } from './drain-window.ts';
import { stampVersion, touchVersion } from './stamp.ts';
import { type WrittenVersion, readVersion } from './version-blob.ts';

const EMPTY = new Uint8Array(0);
/** A version's own blob that is older than this is renewed before a head names it: sweepers, and who aborts an upload, go by age. Milliseconds. */
const RENEW_AFTER_MS = 5 * 60_000;

/** A version that is about to be: an object or a delete marker with a version id of its own. */
export interface NewVersion extends HeadTarget {
  readonly kind: 'link' | 'tomb';
  /** Brings the version's own blob into being. Asked once. */
  readonly write: (token: VersionToken) => Promise<WrittenVersion>;
  /** Its place, when that was decided earlier; else above the head that is read first. */
  readonly token?: VersionToken;
  readonly nonce?: string;
  /** As in a `HeadChange`. */
  readonly onDoubt?: () => void;
  readonly already?: (head: Head | undefined) => Promise<boolean>;
  /** `stored` where `write` takes as long as a client or a copy does. Default: first. */
  readonly queues?: QueueMoment;
}

export interface CommittedVersion {
  readonly token: VersionToken;
  /** Undefined when another request has done it all. */
  readonly written: WrittenVersion | undefined;
}

/**
 * Makes a version current, in a bucket with versioning enabled. Head; the version's own blob, and beside it what
 * has to be done to the versions below; then the head is swapped on its revision, which commits. When somebody
 * with a greater place was faster, the version is entered below that head instead: no bytes move.
 */
export async function commitVersion(context: ObjectsContext, version: NewVersion, call: Call): Promise<CommittedVersion> {
  const commit = new VersionCommit(context, version, call);
  try {
    return await commit.run();
  } catch (error) {
    commit.abandon();
    throw error;
  }
}

/** All that a head that names the version is made of. */
interface Swap {
  readonly head: Head | undefined;
  readonly token: VersionToken;
  readonly written: WrittenVersion;
  readonly inherited: Inherited;
}

class VersionCommit {
  readonly #context: ObjectsContext;
  readonly #version: NewVersion;
  readonly #call: Call;
  readonly #nonce: string;
  #token: VersionToken | undefined;
  #written: Promise<WrittenVersion> | undefined;
  #writtenAt = Infinity;
  /** A head may name the version: it did, or a send that would have made it was not answered for certain. */
  #mayBeNamed = false;

  constructor(context: ObjectsContext, version: NewVersion, call: Call) {
    this.#context = context;
    this.#version = version;
    this.#call = call;
    this.#nonce = version.nonce ?? newNonce();
    this.#token = version.token;
  }

  async run(): Promise<CommittedVersion> {
    const { bucket, key, conditions, already, queues = 'first' } = this.#version;
    const change: HeadChange<VersionToken> = {
      bucket,
      key,
      conditions,
      repeatable: true,
      versioned: true,
      queues,
      plan: (head, condition) => this.#plan(head, condition),
      onDoubt: () => {
        this.#mayBeNamed = true;
        this.#version.onDoubt?.();
      },
      recognise: (head) => this.#recognise(head),
      ...(already && { already: async (head) => ((await already(head)) ? { result: this.#token ?? '' } : undefined) }),
    };
    const token = await changeHead(change, this.#call);
    this.#mayBeNamed = true;
    if (isDraining(bucket, this.#context)) await stampVersion({ bucket, key }, token, this.#call);
    return { token, written: await this.#written };
  }

  /** The blob of a version that was refused for certain: nobody will ever look at it. An upload's may be completed yet. */
  abandon(): void {
    const { bucket, key, token } = this.#version;
    if (this.#mayBeNamed) return;
    if (this.#written === undefined || this.#token === undefined || token !== undefined) return;
    this.#context.settler.discard({ bucket, key }, this.#token);
  }

  async #plan(head: Head | undefined, condition: Condition): Promise<() => Promise<VersionToken>> {
    const { bucket, key } = this.#version;
    const place = { bucket, key };
    const placed = await placeHead(place, head, { context: this.#context, call: this.#call });
    this.#token ??= newToken(this.#context.clock.next(placed.seq));
    const token = this.#token;
    this.#written ??= this.#write(token);
    if (head !== undefined && isBehind(token, placed)) {
      if (hasWriteConditions(this.#version.conditions)) throw conflict(this.#version);
      await Promise.all([this.#written, redo(place, head, this.#call)]);
      return () => this.#enterBelow(head, token, condition);
    }
    const [written, inherited] = await Promise.all([this.#written, displace(place, placed, this.#call)]);
    await this.#renewIfOld(token);
    return () => this.#swap({ head, token, written, inherited }, condition);
  }

  async #write(token: VersionToken): Promise<WrittenVersion> {
    const written = await this.#version.write(token);
    this.#writtenAt = this.#context.now();
    return written;
  }

  /** What had to be done to the versions below may have taken long. @throws StoreError conditionFailed: begin again */
  async #renewIfOld(token: VersionToken): Promise<void> {
    if (this.#context.now() - this.#writtenAt < RENEW_AFTER_MS) return;
    const { bucket, key, already } = this.#version;
    this.#writtenAt = this.#context.now();
    // An upload's claim is renewed by what is asked at the beginning of each turn.
    if (already === undefined) {
      const revision = await touchVersion({ bucket, key }, token, this.#call);
      this.#written = this.#written?.then((written) => ({ ...written, ...(written.revision !== undefined && { revision }) }));
    }
    throw new StoreError('conditionFailed', { call: 'setMetadata', code: 'Renewed' });
  }

  async #swap({ head, token, written, inherited }: Swap, condition: Condition): Promise<VersionToken> {
    const { bucket, key, kind } = this.#version;
    const { ref, trueKey } = headPlace(bucket, key);
    const record: ObjectRecord = {
      ...written.record,
      kind,
      version: token,
      nonce: this.#nonce,
      ...(written.revision !== undefined && { rev: written.revision }),
      ...(trueKey !== undefined && { key: trueKey }),
      ...ringOf(head),
      ...inherited,
    };
    const metadata = linkMetadata(bucket.home, record, written.native);
    await bucket.home.store.write(ref, EMPTY, { headers: written.headers, metadata, condition }, this.#call);
    return token;
  }

  /** The head stays as it is; its log says that there is one more version below it. */
  async #enterBelow(head: Head, token: VersionToken, condition: Condition): Promise<VersionToken> {
    const { dels: _done, ...record } = head.record ?? nativeRecord(head);
    const amended = { ...record, adds: [token], ...noncesAmended(head, this.#nonce) };
    await rewriteRecord(this.#version.bucket, { head, record: amended, condition }, this.#call);
    return token;
  }

  /** Proof that the version is part of the history, whatever has become of the head since. */
  async #recognise(head: Head | undefined): Promise<Found<VersionToken> | undefined> {
    const token = this.#token;
    if (token === undefined) return undefined;
    const record = head?.record;
    const named = record?.version === token || record?.adds?.includes(token) === true || record?.dels?.includes(token) === true;
    if (named || carriesNonce(record, this.#nonce)) return { result: token };
    const { bucket, key } = this.#version;
    return (await readVersion(bucket, key, token, this.#call))?.record?.stamp === true ? { result: token } : undefined;
  }
}

/** A ring even where there was no head: it tells a head that was swapped from one that a plain PUT wrote. */
export function ringOf(head: Head | undefined): { ring: readonly string[] } {
  return { ring: ringAfter(head).ring ?? [] };
}
