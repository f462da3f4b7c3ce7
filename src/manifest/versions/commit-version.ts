import type { Call } from '../../observe/call.ts';
import { hasWriteConditions } from '../../protocol/conditions.ts';
import type { Condition } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { newNonce } from '../records/clock.ts';
import { headPlace } from '../records/names.ts';
import { linkMetadata } from '../heads/overflow.ts';
import { type HeadRecord, namedVersion, withLog } from '../records/record.ts';
import { type VersionToken, newToken, seqOfToken } from '../records/version-token.ts';
import { rewriteRecord } from '../heads/head-amend.ts';
import {
  type Found,
  type HeadChange,
  type HeadTarget,
  type QueueMoment,
  carriesNonce,
  changeHead,
  conflict,
  noncesAmended,
  ringAfter,
} from '../heads/head-commit.ts';
import { type Head, type KnownHead, type SeenHead, nativeRecord, withRecord } from '../heads/head.ts';
import type { ObjectsContext } from './object-context.ts';
import { BlobAge } from './blob-age.ts';
import { type Inherited, type PlacedHead, displace, floorAbove, isBehind, redo } from './displace.ts';
import { isDraining, placeHead } from './drain-window.ts';
import type { PlaceChange } from './own-place.ts';
import { removeUnnamed } from './remove-blob.ts';
import { stampVersion, touchVersion } from './stamp.ts';
import { type WrittenObject, type WrittenVersion, isWrittenObject, readVersion } from './version-blob.ts';

const EMPTY = new Uint8Array(0);
/** Places that a version takes one after the other before its client is asked to try again. */
const MAX_PLACES = 8;

/** A version that is about to be: an object or a delete marker with a version id of its own. */
interface NewVersion extends HeadTarget {
  /** Brings the version's own blob into being. Asked again for each new place, unless there is a `move`. */
  readonly write: (token: VersionToken) => Promise<WrittenVersion>;
  /** Brings it to a new place, where its bytes can be had only once. */
  readonly move?: (change: PlaceChange) => Promise<WrittenObject>;
  /** Its place, when that was decided earlier; else above the head that is read first. */
  readonly token?: VersionToken;
  /** Its place was not taken above a head that was read: it may become the newest there, and nothing below another. */
  readonly unplaced?: boolean;
  /** Names a new place of this seq. */
  readonly placeAt?: (seq: number) => VersionToken;
  readonly nonce?: string;
  /** As in a `HeadChange`. */
  readonly onDoubt?: () => void;
  /** Whether, and at which place, another request has made it. */
  readonly already?: (head: Head | undefined) => Promise<VersionToken | undefined>;
  /** As in a `HeadChange`. */
  readonly known?: SeenHead | undefined;
  /** `stored` where `write` takes as long as a client or a copy does. Default: first. */
  readonly queues?: QueueMoment;
}

interface CommittedVersion {
  readonly token: VersionToken;
  /** Undefined when another request has done it all. */
  readonly written: WrittenVersion | undefined;
}

/**
 * Makes a version current, in a bucket with versioning enabled. Head; the version's own blob, and beside it what
 * has to be done to the versions below; then the head is swapped on its revision, which commits. When somebody
 * with a greater place was faster, the version is entered below that head instead, and no bytes move; but never below
 * one that was committed under a condition: that was true of the state right before it. Then the version takes a new
 * place above.
 */
export async function commitVersion(
  context: ObjectsContext,
  version: NewVersion,
  call: Call,
): Promise<CommittedVersion> {
  const commit = new VersionCommit(context, version, call);
  try {
    return await commit.run();
  } finally {
    commit.tidyUp();
  }
}

/** All that a head that names the version is made of. */
interface Swap {
  readonly placed: PlacedHead;
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
  readonly #age: BlobAge;
  /** Places that a blob of ours may lie at. */
  readonly #places = new Set<VersionToken>();
  /** Its place was taken above a head that was there after the request began: so it may come to lie below another. */
  #isPlaced: boolean;
  /** The head that was read back last, and the version's own blob, prove that the version was not committed. */
  #isRefuted = false;
  /** Those that a head may name: it does, or a send that would have made it was not answered for certain. */
  readonly #named = new Set<VersionToken>();

  constructor(context: ObjectsContext, version: NewVersion, call: Call) {
    this.#context = context;
    this.#version = version;
    this.#call = call;
    this.#nonce = version.nonce ?? newNonce();
    this.#token = version.token;
    this.#isPlaced = version.token !== undefined && version.unplaced !== true;
    this.#age = new BlobAge(context, version.bucket);
  }

  async run(): Promise<CommittedVersion> {
    const { bucket, key, conditions, already, known, queues = 'first' } = this.#version;
    const change: HeadChange<VersionToken> = {
      bucket,
      key,
      conditions,
      repeatable: true,
      versioned: true,
      queues,
      plan: (head, condition) => this.#plan(head, condition),
      known,
      memory: this.#mayBeginBefore() ? this.#context.memory : undefined,
      beforeSend: () => this.#age.requireYoung(),
      onDoubt: () => {
        if (this.#token !== undefined) this.#named.add(this.#token);
        this.#version.onDoubt?.();
      },
      recognise: (head) => this.#recognise(head),
      isRefuted: () => this.#isRefuted,
      ...(already && { already: (head) => found(already(head)) }),
    };
    const token = await changeHead(change, this.#call);
    this.#named.add(token);
    if (isDraining(this.#context, bucket)) await stampVersion({ bucket, key }, token, this.#call);
    return { token, written: await this.#written };
  }

  /**
   * Removes what lies at places that were given up, or refused, for certain: no request will ever look at it. An
   * upload's blob may be completed yet.
   */
  tidyUp(): void {
    const { bucket, key, token: given } = this.#version;
    for (const token of this.#places) {
      if (token === given || this.#named.has(token)) continue;
      this.#context.settler.later(`discard ${bucket.uid}/${token}`, (call) =>
        removeUnnamed({ bucket, key }, token, call),
      );
    }
  }

  /**
   * Whether it may begin with a head from before the request. If that one has moved, the place was taken above a head
   * that may be older than the request, and is given up unless it lies above the one that is read. In question are
   * changes that are quickly made again.
   */
  #mayBeginBefore(): boolean {
    const { bucket, token, already, move } = this.#version;
    const isPlain = token === undefined && already === undefined && move === undefined;
    return isPlain && !isDraining(this.#context, bucket);
  }

  async #plan({ head, trust }: KnownHead, condition: Condition): Promise<() => Promise<VersionToken>> {
    const { bucket, key } = this.#version;
    const place = { bucket, key };
    const placed = await placeHead(this.#context, place, head, this.#call);
    const first = (this.#token ??= newToken(this.#context.clock.next(placed.seq)));
    const isOvertaken = isBehind(first, placed);
    if (isOvertaken && head !== undefined && this.#mayComeBelow(first, placed)) {
      await Promise.all([this.#blobAt(first), redo(place, head, this.#call)]);
      await this.#renewIfOld(first);
      return () => this.#enterBelow(head, first, condition);
    }
    const token = isOvertaken ? await this.#takeNewPlace(first, placed) : first;
    if (trust !== 'remembered' && this.#version.unplaced !== true) this.#isPlaced = true;
    const [written, inherited] = await Promise.all([this.#blobAt(token), displace(place, placed, this.#call)]);
    await this.#renewIfOld(token);
    return () => this.#swap({ placed, token, written, inherited }, condition);
  }

  #mayComeBelow(token: VersionToken, { floor }: PlacedHead): boolean {
    return !hasWriteConditions(this.#version.conditions) && this.#isPlaced && seqOfToken(token) > floor;
  }

  #blobAt(token: VersionToken): Promise<WrittenVersion> {
    return (this.#written ??= this.#bring(token, this.#version.write(token)));
  }

  async #bring(token: VersionToken, writing: Promise<WrittenVersion>): Promise<WrittenVersion> {
    this.#places.add(token);
    const written = await writing;
    this.#age.begin();
    return written;
  }

  /** The old place keeps its blob until the commit is over. */
  async #takeNewPlace(from: VersionToken, { seq }: PlacedHead): Promise<VersionToken> {
    const { conditions, write, move, placeAt = newToken } = this.#version;
    if (this.#places.size >= MAX_PLACES) {
      throw hasWriteConditions(conditions)
        ? conflict(this.#version)
        : new StoreError('throttled', { call: 'write', code: 'Overtaken' });
    }
    const before = await this.#blobAt(from);
    const to = placeAt(this.#context.clock.next(seq));
    this.#token = to;
    const isMoved = move !== undefined && isWrittenObject(before);
    this.#written = this.#bring(to, isMoved ? this.#moved(move({ from, to, written: before })) : write(to));
    return to;
  }

  async #moved(moving: Promise<WrittenVersion>): Promise<WrittenVersion> {
    try {
      return await moving;
    } catch (error) {
      if (!isStoreError(error, 'sourceNotFound', 'sourceConditionFailed', 'notFound')) throw error;
      throw hasWriteConditions(this.#version.conditions)
        ? conflict(this.#version, error)
        : new StoreError('unavailable', { call: 'copy', code: 'Overtaken', cause: error });
    }
  }

  /** What had to be done to the versions below may have taken long. @throws StoreError conditionFailed: begin again */
  async #renewIfOld(token: VersionToken): Promise<void> {
    if (!this.#age.needsRenewal) return;
    const { bucket, key, already, token: given } = this.#version;
    // An upload's claim is renewed by what is asked at the beginning of each turn.
    if (already === undefined || token !== given) {
      const revision = await touchVersion({ bucket, key }, token, this.#call);
      this.#written = this.#written?.then((written) => ({
        ...written,
        ...(written.revision !== undefined && { revision }),
      }));
    }
    this.#age.begin();
    throw new StoreError('conditionFailed', { call: 'setMetadata', code: 'Renewed' });
  }

  async #swap({ placed, token, written, inherited }: Swap, condition: Condition): Promise<VersionToken> {
    const { bucket, key, conditions } = this.#version;
    const { ref, trueKey } = headPlace({ bucket, key });
    const naming = {
      version: token,
      nonce: this.#nonce,
      ...(written.revision !== undefined && { rev: written.revision }),
      ...(trueKey !== undefined && { key: trueKey }),
      ...ringAfter(placed.head),
      ...floorAbove(placed, conditions),
      ...inherited,
    };
    const head = isWrittenObject(written)
      ? ({ ...written.record, kind: 'link', size: written.size, ...naming } as const)
      : { ...written.record, ...naming };
    const metadata = linkMetadata(bucket.home, head, written.native);
    const request = { headers: written.headers, metadata, condition };
    const answer = await bucket.home.store.write(ref, EMPTY, request, this.#call);
    const properties = { ...written.headers, ...answer, size: 0, metadata };
    this.#context.memory.note({ bucket, key }, withRecord<HeadRecord>({ ref, properties }, head));
    return token;
  }

  /** The head stays as it is; its log says that there is one more version below it. */
  async #enterBelow(head: Head, token: VersionToken, condition: Condition): Promise<VersionToken> {
    const record = withLog(head.record ?? nativeRecord(head), { adds: [token] });
    await rewriteRecord(
      this.#version.bucket,
      { head, record: { ...record, ...noncesAmended(head, this.#nonce) }, condition },
      this.#call,
    );
    return token;
  }

  /** Proof that the version is part of the history, whatever has become of the head since. */
  async #recognise(head: Head | undefined): Promise<Found<VersionToken> | undefined> {
    const token = this.#token;
    this.#isRefuted = false;
    if (token === undefined) return undefined;
    const record = head?.record;
    const named =
      namedVersion(record) === token ||
      record?.adds?.includes(token) === true ||
      record?.dels?.includes(token) === true;
    if (named) return { result: token };
    const { bucket, key, token: given, already } = this.#version;
    // Other requests that make the same version share the nonce, and not the place.
    if (carriesNonce(record, this.#nonce)) return already === undefined ? { result: token } : found(already(head));
    const own = await readVersion({ bucket, key }, token, this.#call);
    if (own?.record.stamp === true) return { result: token };
    // A writer that replaces a head stamps the version that the head names first. So does a writer that drops a version
    // from the log.
    const isDisplacedWithStamp = record?.ring !== undefined && !isDraining(this.#context, bucket);
    this.#isRefuted = own !== undefined && given === undefined && isDisplacedWithStamp;
    return undefined;
  }
}

async function found(already: Promise<VersionToken | undefined>): Promise<Found<VersionToken> | undefined> {
  const token = await already;
  return token === undefined ? undefined : { result: token };
}
