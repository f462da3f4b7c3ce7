import type { Call } from '../../observe/call.ts';
import { hasWriteConditions } from '../../protocol/conditions.ts';
import type { Condition } from '../../store/blob-store.ts';
import { StoreError, isStoreError } from '../../store/store-error.ts';
import { newNonce } from '../records/clock.ts';
import { headPlace } from '../records/names.ts';
import { linkMetadata } from '../heads/overflow.ts';
import { type HeadRecord, namedVersion, withLog } from '../records/record.ts';
import { AGAIN } from '../records/turns.ts';
import { type VersionToken, newToken, seqOfToken } from '../records/version-token.ts';
import { ETAG_OF_NOTHING, announce } from '../heads/announce.ts';
import { rewriteRecord } from '../heads/head-amend.ts';
import {
  type Found,
  type HeadChange,
  type HeadTarget,
  type Verdict,
  carriesNonce,
  changeHead,
  conflict,
  noncesAmended,
  ringAfter,
} from '../heads/head-commit.ts';
import { type Head, type KnownHead, type SeenHead, nativeRecord, withRecord } from '../heads/head.ts';
import type { PublishRequest } from '../heads/object-requests.ts';
import type { ObjectsContext } from './object-context.ts';
import { BlobAge } from './blob-age.ts';
import { type Inherited, type PlacedHead, displace, floorAbove, isBehind, redo } from './displace.ts';
import { isDraining, placeHead } from './drain-window.ts';
import type { PlaceChange } from './own-copy.ts';
import { removeUnnamed } from './remove-blob.ts';
import { stampVersion, touchVersion } from './stamp.ts';
import { type WrittenObject, type WrittenVersion, isWrittenObject, readVersion } from './version-blob.ts';

const EMPTY = new Uint8Array(0);
/** Places that a version takes one after the other before its client is asked to try again. */
const MAX_PLACES = 8;

/** A version that is about to be: an object or a delete marker with a version id of its own. */
type NewVersion = HeadTarget & (HeldVersion | StoredVersion | PublishedVersion);

/** What it is made of is in memory. Its place is above the head that is read first. */
interface HeldVersion {
  readonly kind: 'held';
  /** Brings the version's own blob into being. Asked again for each new place. */
  readonly write: (token: VersionToken) => Promise<WrittenVersion>;
  /** As in a `HeadChange`. */
  readonly known?: SeenHead | undefined;
}

/** Its bytes can be had only once, from a client or by a copy. Its place is above the head that is read first. */
interface StoredVersion {
  readonly kind: 'stored';
  readonly write: (token: VersionToken) => Promise<WrittenObject>;
  /** Brings its own blob to a new place. */
  readonly move: (change: PlaceChange) => Promise<WrittenObject>;
}

/** An upload, whose place was decided at its initiation, and whose own blob is there. */
interface PublishedVersion extends Pick<PublishRequest, 'placed' | 'once' | 'known'> {
  readonly kind: 'published';
  readonly token: VersionToken;
  readonly written: WrittenObject;
  /** Brings its own blob to a new place. */
  readonly move: (change: PlaceChange) => Promise<WrittenObject>;
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
  readonly #attempt = newNonce();
  #token: VersionToken | undefined;
  #written: Promise<WrittenVersion> | undefined;
  readonly #age: BlobAge;
  /** Places that a blob of ours may lie at. */
  readonly #places = new Set<VersionToken>();
  /** Its place was taken above a head that was there after the request began: so it may come to lie below another. */
  #isPlaced: boolean;
  /** Those that a head may name: it does, or a send that would have made it was not answered for certain. */
  readonly #named = new Set<VersionToken>();

  constructor(context: ObjectsContext, version: NewVersion, call: Call) {
    this.#context = context;
    this.#version = version;
    this.#call = call;
    const { kind } = version;
    this.#nonce = kind === 'published' ? version.once.nonce : newNonce();
    this.#token = kind === 'published' ? version.token : undefined;
    this.#isPlaced = kind === 'published' && version.placed;
    this.#age = new BlobAge(context, version.bucket);
  }

  async run(): Promise<CommittedVersion> {
    const version = this.#version;
    const { bucket, key, conditions, kind } = version;
    const once = kind === 'published' ? version.once : undefined;
    // If a head from before the request has moved, the place was taken above one that may be older than the request,
    // and is given up unless it lies above the head that is read. So only what is quickly made again begins with one.
    const mayBeginBefore = kind === 'held' && !isDraining(this.#context, bucket);
    const change: HeadChange<VersionToken> = {
      bucket,
      key,
      conditions,
      writes: kind === 'stored' ? 'stored' : 'held',
      plan: (head, condition) => this.#plan(head, condition),
      known: kind === 'stored' ? undefined : version.known,
      memory: mayBeginBefore ? this.#context.memory : undefined,
      isTooLate: () => this.#age.isTooOld,
      onDoubt: () => {
        if (this.#token !== undefined) this.#named.add(this.#token);
        once?.onDoubt();
      },
      recognise: (head) => this.#recognise(head),
      happened: once && ((head) => found(once.happened(head))),
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
    const { bucket, key } = this.#version;
    for (const token of this.#places) {
      if (this.#isGiven(token) || this.#named.has(token)) continue;
      this.#context.settler.later(`discard ${bucket.uid}/${token}`, (call) =>
        removeUnnamed({ bucket, key }, token, call),
      );
    }
  }

  /** It is the place of an upload from its initiation. */
  #isGiven(token: VersionToken): boolean {
    return this.#version.kind === 'published' && this.#version.token === token;
  }

  async #plan({ head, trust }: KnownHead, condition: Condition): Promise<(() => Promise<VersionToken>) | typeof AGAIN> {
    const { bucket, key } = this.#version;
    const place = { bucket, key };
    const placed = await placeHead(this.#context, place, head, this.#call);
    const first = (this.#token ??= newToken(this.#context.clock.next(placed.seq)));
    const isOvertaken = isBehind(first, placed);
    if (isOvertaken && head !== undefined && this.#mayComeBelow(first, placed)) {
      const [written] = await Promise.all([this.#blobAt(first), redo(place, head, this.#call)]);
      if (await this.#renewIfOld(first)) return AGAIN;
      await this.#announce(head, first, written);
      return () => this.#enterBelow(head, first, condition);
    }
    const token = isOvertaken ? await this.#takeNewPlace(first, placed) : first;
    if (trust !== 'remembered' && this.#version.kind !== 'published') this.#isPlaced = true;
    const [written, inherited] = await Promise.all([this.#blobAt(token), displace(place, placed, this.#call)]);
    if (inherited === AGAIN || (await this.#renewIfOld(token))) return AGAIN;
    await this.#announce(head, token, written);
    return () => this.#swap({ placed, token, written, inherited }, condition);
  }

  async #announce(head: Head | undefined, versionId: VersionToken, written: WrittenVersion): Promise<void> {
    const { bucket, key } = this.#version;
    const change = { nonce: this.#nonce, attempt: this.#attempt, head, seq: seqOfToken(versionId), versionId };
    if (!isWrittenObject(written)) {
      await announce({ bucket, key }, { ...change, kind: 'markerCreated', etag: ETAG_OF_NOTHING }, this.#call);
      return;
    }
    const { record, size: stored } = written;
    const size = record.encryption?.size ?? stored;
    await announce({ bucket, key }, { ...change, kind: 'created', etag: record.etag, size }, this.#call);
  }

  #mayComeBelow(token: VersionToken, { floor }: PlacedHead): boolean {
    return !hasWriteConditions(this.#version.conditions) && this.#isPlaced && seqOfToken(token) > floor;
  }

  #blobAt(token: VersionToken): Promise<WrittenVersion> {
    const version = this.#version;
    const { kind } = version;
    return (this.#written ??= this.#bring(
      token,
      kind === 'published' ? Promise.resolve(version.written) : version.write(token),
    ));
  }

  async #bring(token: VersionToken, writing: Promise<WrittenVersion>): Promise<WrittenVersion> {
    this.#places.add(token);
    const written = await writing;
    this.#age.begin();
    return written;
  }

  /** The old place keeps its blob until the commit is over. */
  async #takeNewPlace(from: VersionToken, { seq }: PlacedHead): Promise<VersionToken> {
    const version = this.#version;
    if (this.#places.size >= MAX_PLACES) {
      throw hasWriteConditions(version.conditions)
        ? conflict(version)
        : new StoreError('throttled', { call: 'write', code: 'Overtaken' });
    }
    const before = await this.#blobAt(from);
    const above = this.#context.clock.next(seq);
    const to = version.kind === 'published' ? version.once.placeAt(above) : newToken(above);
    this.#token = to;
    if (version.kind === 'held') this.#written = this.#bring(to, version.write(to));
    else this.#written = this.#bring(to, this.#moved(version.move({ from, to, written: before as WrittenObject })));
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

  /** What had to be done to the versions below may have taken long. @returns true: the blob was renewed, begin again */
  async #renewIfOld(token: VersionToken): Promise<boolean> {
    if (!this.#age.needsRenewal) return false;
    const { bucket, key } = this.#version;
    // An upload's claim is renewed by what is asked at the beginning of each turn.
    if (!this.#isGiven(token)) {
      const revision = await touchVersion({ bucket, key }, token, this.#call);
      this.#written = this.#written?.then((written) => ({
        ...written,
        ...(written.revision !== undefined && { revision }),
      }));
    }
    this.#age.begin();
    return true;
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
  async #recognise(head: Head | undefined): Promise<Verdict<VersionToken>> {
    const token = this.#token;
    if (token === undefined) return 'unknown';
    const record = head?.record;
    const named =
      namedVersion(record) === token ||
      record?.adds?.includes(token) === true ||
      record?.dels?.includes(token) === true;
    if (named) return { result: token };
    const version = this.#version;
    const { bucket, key, kind } = version;
    if (carriesNonce(record, this.#nonce)) {
      // Other requests that make the same version share the nonce, and not the place.
      return kind === 'published' ? ((await found(version.once.happened(head))) ?? 'unknown') : { result: token };
    }
    const own = await readVersion({ bucket, key }, token, this.#call);
    if (own?.record.stamp === true) return { result: token };
    // A writer that replaces a head stamps the version that the head names first. So does a writer that drops a version
    // from the log.
    const isDisplacedWithStamp = record?.ring !== undefined && !isDraining(this.#context, bucket);
    return own !== undefined && kind !== 'published' && isDisplacedWithStamp ? 'undone' : 'unknown';
  }
}

async function found(happened: Promise<VersionToken | undefined>): Promise<Found<VersionToken> | undefined> {
  const token = await happened;
  return token === undefined ? undefined : { result: token };
}
