import { Md5Choice } from './md5-choice.ts';
import {
  BLOCK,
  MD5_INPUT,
  JOBS,
  type Md5Module,
  SPARE_STATE,
  STATES,
  STATE_BYTES,
  VECTOR_LANES,
  md5Module,
} from './md5-module.ts';

/** What of a stream may wait. */
export const RING = 256 * 1024;
/**
 * 16 MiB of rings, each of them memory of the process only once a stream has had it. The AWS Common Runtime alone sends
 * 25 parts at a time.
 */
const MOST_STREAMS = 64;
/** A stream with fewer blocks waits for more, unless it is its turn: each call costs some. */
const WORTHWHILE = 64;
/** What Node reads from a socket at a time. A ring with less room than that is full. */
const READ = 64 * 1024;
/** Blocks that are worked through together before it is looked again who has most. */
const STRETCH = READ / BLOCK;
/** For streams that were full so lately others that are full wait, but no longer than the second. */
const SOON_MS = 20;
const PATIENCE_MS = 2;
const START = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476] as const;

/** Room in the module's memory for one stream: its state, and a ring of bytes that wait. */
export class Md5Lane {
  readonly state: number;
  readonly ring: number;
  /** Bytes of the stream that were worked through, and that came. */
  done = 0;
  came = 0;
  /** When the ring was full last, in milliseconds. */
  fullAt = Number.NEGATIVE_INFINITY;

  constructor(index: number) {
    this.state = STATES + index * STATE_BYTES;
    this.ring = MD5_INPUT + index * RING;
  }

  get waiting(): number {
    return this.came - this.done;
  }

  /** Blocks that wait and lie behind each other. */
  get blocks(): number {
    return Math.floor(Math.min(this.waiting, RING - (this.done % RING)) / BLOCK);
  }
}

/** Streams with full rings that wait until others have as much. */
class Meeting {
  readonly full = new Set<Md5Lane>();
  readonly over: Promise<undefined>;
  readonly #timer: NodeJS.Timeout;
  #immediate: NodeJS.Immediate | undefined;
  readonly #begin: () => void;

  constructor(meet: () => void) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.over = promise;
    this.#begin = () => {
      clearTimeout(this.#timer);
      clearImmediate(this.#immediate);
      meet();
      resolve(undefined);
    };
    this.#timer = setTimeout(this.#begin, PATIENCE_MS);
  }

  /** When every socket that has bytes now was read from. */
  soon(): void {
    this.#immediate ??= setImmediate(this.#begin);
  }
}

/**
 * MD5 of streams that are open at the same time. Their bytes are copied here, and wait until a ring is full or a stream
 * ends. Then as many blocks of that stream as must go are worked through, together with as many of others that wait.
 */
export class Md5Lanes {
  readonly #module: Md5Module = md5Module((MOST_STREAMS * RING) / BLOCK);
  readonly #bytes = new Uint8Array(this.#module.memory.buffer);
  readonly #words = new Int32Array(this.#module.memory.buffer);
  readonly #free = Array.from({ length: MOST_STREAMS }, (_, index) => new Md5Lane(index)).toReversed();
  readonly #open = new Set<Md5Lane>();
  readonly #choice: Md5Choice;
  #meeting: Meeting | undefined;

  constructor(choice = new Md5Choice()) {
    this.#choice = choice;
  }

  /** Streams that have a lane. */
  get open(): number {
    return this.#open.size;
  }

  /** @returns undefined when all lanes are taken; `give` it back exactly once */
  take(): Md5Lane | undefined {
    const lane = this.#free.pop();
    if (lane === undefined) return undefined;
    lane.done = 0;
    lane.came = 0;
    lane.fullAt = Number.NEGATIVE_INFINITY;
    this.#words.set(START, lane.state / 4);
    this.#open.add(lane);
    return lane;
  }

  give(lane: Md5Lane): void {
    if (!this.#open.delete(lane)) return;
    this.#free.push(lane);
    this.#meeting?.full.delete(lane);
    this.#hasten();
  }

  /**
   * A stream with bytes to add had better wait for this, so that those of other streams come and go with them.
   * @returns undefined while there is room, or no stream to wait for
   */
  room(lane: Md5Lane): Promise<undefined> | undefined {
    if (this.#open.size < 2 || RING - lane.waiting >= READ) return undefined;
    lane.fullAt = performance.now();
    this.#meeting ??= new Meeting(() => this.#meet());
    this.#meeting.full.add(lane);
    this.#hasten();
    return this.#meeting.over;
  }

  add(lane: Md5Lane, bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      // Less than a block always may have to wait for the rest of it.
      const length = Math.min(bytes.length - from, RING - BLOCK);
      const excess = lane.waiting + length - RING;
      if (excess > 0) this.#work(lane, Math.ceil(excess / BLOCK));
      this.#store(lane, from === 0 && length === bytes.length ? bytes : bytes.subarray(from, from + length));
      from += length;
    }
  }

  /** Call once, when all bytes of the stream have been added. The lane is still to be given back. */
  digest(lane: Md5Lane): Buffer {
    this.add(lane, padding(lane.came));
    this.#work(lane, lane.waiting / BLOCK);
    return Buffer.from(this.#bytes.slice(lane.state, lane.state + STATE_BYTES).buffer);
  }

  #store(lane: Md5Lane, bytes: Uint8Array): void {
    const at = lane.came % RING;
    const first = RING - at;
    if (bytes.length <= first) {
      this.#bytes.set(bytes, lane.ring + at);
    } else {
      this.#bytes.set(bytes.subarray(0, first), lane.ring + at);
      this.#bytes.set(bytes.subarray(first), lane.ring);
    }
    lane.came += bytes.length;
  }

  /** No need to wait longer once there are enough, or everybody who may come soon. */
  #hasten(): void {
    const full = this.#meeting?.full;
    if (full === undefined) return;
    const since = performance.now() - SOON_MS;
    let expected = 0;
    for (const lane of this.#open) {
      if (full.has(lane) || lane.fullAt > since) expected += 1;
    }
    if (full.size >= Math.min(this.#choice.few, expected)) this.#meeting?.soon();
  }

  /** Works through what waits while there are enough to go together, and what is too much to wait longer. */
  #meet(): void {
    const full = this.#meeting?.full;
    this.#meeting = undefined;
    for (const lane of this.#open) {
      // Who was waited for in vain is expected again when it has been full again.
      if (full?.has(lane) === false) lane.fullAt = Number.NEGATIVE_INFINITY;
    }
    for (;;) {
      const lead = this.#fullest();
      if (lead === undefined || lead.waiting < WORTHWHILE * BLOCK) return;
      const isAlone = this.#together(lead).length < Math.min(this.#choice.few, this.#open.size);
      if (isAlone && lead.waiting <= RING / 2) return;
      this.#work(lead, Math.min(Math.floor(lead.waiting / BLOCK), STRETCH));
    }
  }

  #fullest(): Md5Lane | undefined {
    let fullest: Md5Lane | undefined;
    for (const lane of this.#open) {
      if (fullest === undefined || lane.waiting > fullest.waiting) fullest = lane;
    }
    return fullest;
  }

  /** So many blocks of the lane, and of those that can go with it no more than that. */
  #work(lead: Md5Lane, blocks: number): void {
    for (let left = blocks; left > 0; ) {
      const lanes = this.#together(lead);
      const count = lanes.reduce((least, lane) => Math.min(least, lane.blocks), left);
      this.#run(lanes, count);
      for (const lane of lanes) lane.done += count * BLOCK;
      left -= count;
    }
  }

  /** The lane, and those of the others that have most, as many as one call takes. */
  #together(lead: Md5Lane): readonly Md5Lane[] {
    const lanes = [lead];
    for (const lane of this.#open) {
      if (lane !== lead && lane.waiting >= WORTHWHILE * BLOCK) lanes.push(lane);
    }
    const count = this.#choice.together(lanes.length);
    if (count < lanes.length) lanes.sort((a, b) => (a === lead ? -1 : b === lead ? 1 : b.waiting - a.waiting));
    lanes.length = count;
    return lanes;
  }

  #run(lanes: readonly Md5Lane[], blocks: number): void {
    const [lead] = lanes;
    const { work, jobs } = this.#kernel(lanes.length);
    for (let job = 0, at = JOBS / 4; job < jobs; job += 1, at += 2) {
      const lane = lanes[job];
      const from = lane ?? lead;
      if (from === undefined) return;
      this.#words[at] = from.ring + (from.done % RING);
      this.#words[at + 1] = lane?.state ?? SPARE_STATE;
    }
    this.#choice.run(lanes.length, blocks, () => work(blocks));
  }

  /** What works through so many streams, and how many it takes: others are spare. */
  #kernel(streams: number): { readonly work: (blocks: number) => void; readonly jobs: number } {
    const { one, two, three, four, eight } = this.#module;
    const work = [one, two, three, four][streams - 1];
    return work === undefined ? { work: eight, jobs: VECTOR_LANES } : { work, jobs: streams };
  }
}

/** What RFC 1321 puts behind a message of so many bytes: a bit, and its length in bits. */
function padding(length: number): Buffer {
  const rest = length % BLOCK;
  const zeros = (rest < BLOCK - 8 ? BLOCK : 2 * BLOCK) - 8 - rest;
  const bytes = Buffer.alloc(zeros + 8);
  bytes[0] = 0x80;
  bytes.writeUInt32LE((length % 2 ** 29) * 8, zeros);
  bytes.writeUInt32LE(Math.floor(length / 2 ** 29) % 2 ** 32, zeros + 4);
  return bytes;
}
