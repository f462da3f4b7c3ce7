import {
  BLOCK,
  INPUT,
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
/** 4 MiB of rings. */
const MOST_STREAMS = 16;
/** A stream with fewer blocks waits for more, unless it is its turn: each call costs some. */
const WORTHWHILE = 64;
/** From so many streams on vectors are faster than words, although some of their lanes are idle. */
const ENOUGH_FOR_VECTORS = 7;
const START = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476] as const;

/** Room in the module's memory for one stream: its state, and a ring of bytes that wait. */
export class Lane {
  readonly state: number;
  readonly ring: number;
  /** Bytes of the stream that were worked through, and that came. */
  done = 0;
  came = 0;

  constructor(index: number) {
    this.state = STATES + index * STATE_BYTES;
    this.ring = INPUT + index * RING;
  }

  get waiting(): number {
    return this.came - this.done;
  }

  /** Blocks that wait and lie behind each other. */
  get blocks(): number {
    return Math.floor(Math.min(this.waiting, RING - (this.done % RING)) / BLOCK);
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
  readonly #free = Array.from({ length: MOST_STREAMS }, (_, index) => new Lane(index)).toReversed();
  readonly #open = new Set<Lane>();

  /** Streams that have a lane. */
  get open(): number {
    return this.#open.size;
  }

  /** @returns undefined when all lanes are taken; `give` it back exactly once */
  take(): Lane | undefined {
    const lane = this.#free.pop();
    if (lane === undefined) return undefined;
    lane.done = 0;
    lane.came = 0;
    this.#words.set(START, lane.state / 4);
    this.#open.add(lane);
    return lane;
  }

  give(lane: Lane): void {
    if (this.#open.delete(lane)) this.#free.push(lane);
  }

  add(lane: Lane, bytes: Uint8Array): void {
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
  digest(lane: Lane): Buffer {
    this.add(lane, padding(lane.came));
    this.#work(lane, lane.waiting / BLOCK);
    return Buffer.from(this.#bytes.slice(lane.state, lane.state + STATE_BYTES).buffer);
  }

  #store(lane: Lane, bytes: Uint8Array): void {
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

  /** So many blocks of the lane, and of those that can go with it no more than that. */
  #work(lead: Lane, blocks: number): void {
    for (let left = blocks; left > 0; ) {
      const lanes = this.#together(lead);
      const count = lanes.reduce((least, lane) => Math.min(least, lane.blocks), left);
      this.#run(lanes, count);
      for (const lane of lanes) lane.done += count * BLOCK;
      left -= count;
    }
  }

  /** The lane, and those of the others that have most, as many as one call takes. */
  #together(lead: Lane): readonly Lane[] {
    const lanes = [lead];
    for (const lane of this.#open) {
      if (lane !== lead && lane.blocks >= WORTHWHILE) lanes.push(lane);
    }
    if (lanes.length > 3) lanes.sort((a, b) => (a === lead ? -1 : b === lead ? 1 : b.waiting - a.waiting));
    lanes.length = Math.min(lanes.length, lanes.length < ENOUGH_FOR_VECTORS ? 3 : VECTOR_LANES);
    return lanes;
  }

  #run(lanes: readonly Lane[], blocks: number): void {
    const [lead] = lanes;
    const isVector = lanes.length >= ENOUGH_FOR_VECTORS;
    const jobs = isVector ? VECTOR_LANES : lanes.length;
    for (let job = 0, at = JOBS / 4; job < jobs; job += 1, at += 2) {
      const lane = lanes[job];
      const from = lane ?? lead;
      if (from === undefined) return;
      this.#words[at] = from.ring + (from.done % RING);
      this.#words[at + 1] = lane?.state ?? SPARE_STATE;
    }
    if (isVector) this.#module.eight(blocks);
    else if (lanes.length === 3) this.#module.three(blocks);
    else if (lanes.length === 2) this.#module.two(blocks);
    else this.#module.one(blocks);
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
