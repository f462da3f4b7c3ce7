/**
 * WebAssembly for MD5 (RFC 1321) of several streams side by side. A step of MD5 waits for the one before it, so one
 * stream leaves most of a processor idle. Two or three are worked through in the same time, step by step of each; four
 * lie in a vector; of eight the other four fill the time for which those wait.
 */
import {
  type Code,
  I32,
  PAGE,
  V128,
  type WasmFunction,
  advance,
  get,
  i32,
  i32Const,
  instance,
  load128,
  load32,
  pick,
  set,
  store128,
  store32,
  until,
  v128,
} from './wasm.ts';

export const BLOCK = 64;
export const VECTOR_LANES = 8;

/** Where things lie in its memory. */
const CONSTANTS = 0;
/** For each lane where its blocks begin, and where its state lies. */
export const JOBS = 1024;
/** The words of a block of each lane, word by word: the first four lanes, then the other four. */
const WORDS = 2048;
const WORDS_OF_SET = 16 * 16;
/** The state of a lane that has no work. */
export const SPARE_STATE = 3072;
/** Four words for each stream. */
export const STATES = 4096;
export const STATE_BYTES = 16;
/** What streams have sent and is not worked through yet. */
export const MD5_INPUT = PAGE;

/** Each works through so many blocks of its lanes, the first ones of `JOBS`. */
export interface Md5Module {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly one: (blocks: number) => void;
  readonly two: (blocks: number) => void;
  readonly three: (blocks: number) => void;
  readonly four: (blocks: number) => void;
  readonly eight: (blocks: number) => void;
}

/** The sines of RFC 1321, section 3.4. */
const SINES = Array.from({ length: 64 }, (_, step) => Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32) | 0);
const SHIFTS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;
const WORD_OF_STEP = [
  (step: number) => step,
  (step: number) => (5 * step + 1) % 16,
  (step: number) => (3 * step + 5) % 16,
  (step: number) => (7 * step) % 16,
] as const;

/** The locals of a step, by their part in it. */
interface Roles {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

/** The local that counts what is left to do: the parameter. */
const BLOCKS = 0;

function rolesAt(step: number, state: readonly number[]): Roles {
  const at = (place: number): number => state[(place + 64 - step) % 4] ?? 0;
  return { a: at(0), b: at(1), c: at(2), d: at(3) };
}

/**
 * A step of all lanes of a set. What does not wait for the step before stands first. Round four subtracts the
 * complement of its function, which needs no NOT, and its constants are less by one.
 */
function vectorStep(step: number, { a, b, c, d }: Roles, words: number): Code {
  const round = step >> 4;
  const mixed: readonly Code[] = [
    [get(c), get(d), get(b), v128.select, v128.add],
    [get(c), get(d), v128.andNot, v128.add, get(b), get(d), v128.and, v128.add],
    [get(c), get(d), v128.xor, get(b), v128.xor, v128.add],
    [get(d), get(b), v128.andNot, get(c), v128.xor, v128.sub],
  ];
  const shift = SHIFTS[round]?.[step % 4] ?? 0;
  const word = WORD_OF_STEP[round]?.(step) ?? 0;
  return [
    get(a),
    i32Const(0),
    load128(words + 16 * word),
    v128.add,
    i32Const(0),
    load128(CONSTANTS + 16 * step),
    v128.add,
    mixed[round] ?? [],
    set(a),
    get(a),
    i32Const(shift),
    v128.shl,
    get(a),
    i32Const(32 - shift),
    v128.shrUnsigned,
    v128.or,
    get(b),
    v128.add,
    set(a),
  ];
}

/** Rows become columns: four vectors of four words in `from`, put into `to`. Both may be the same locals. */
function transpose(from: readonly number[], between: readonly number[], to: readonly number[]): Code {
  const [r0 = 0, r1 = 0, r2 = 0, r3 = 0] = from;
  const [t0 = 0, t1 = 0, t2 = 0, t3 = 0] = between;
  const merge = (x: number, y: number, picked: Code, into: number): Code => [get(x), get(y), picked, set(into)];
  const [lowWords, highWords] = [pick(0, 4, 1, 5), pick(2, 6, 3, 7)];
  const [lowPairs, highPairs] = [pick(0, 1, 4, 5), pick(2, 3, 6, 7)];
  return [
    merge(r0, r1, lowWords, t0),
    merge(r0, r1, highWords, t1),
    merge(r2, r3, lowWords, t2),
    merge(r2, r3, highWords, t3),
    merge(t0, t2, lowPairs, to[0] ?? 0),
    merge(t0, t2, highPairs, to[1] ?? 0),
    merge(t1, t3, lowPairs, to[2] ?? 0),
    merge(t1, t3, highPairs, to[3] ?? 0),
  ];
}

/** Locals of four lanes: where their blocks are, the state, the state before a block, and eight for what is mixed. */
function localsOf(index: number, sets: number) {
  const vectors = 1 + 4 * sets;
  const four = (first: number): number[] => [first, first + 1, first + 2, first + 3];
  return {
    inputs: four(1 + 4 * index),
    state: four(vectors + 8 * index),
    before: four(vectors + 8 * index + 4),
    rows: four(vectors + 8 * sets),
    mixing: four(vectors + 8 * sets + 4),
    words: WORDS + index * WORDS_OF_SET,
    jobs: JOBS + index * 4 * 8,
  };
}

type Set = ReturnType<typeof localsOf>;

function begin({ inputs, state, rows, mixing, jobs }: Set): Code {
  return [
    inputs.map((input, lane) => [i32Const(0), load32(jobs + 8 * lane), set(input)]),
    rows.map((row, lane) => [i32Const(0), load32(jobs + 8 * lane + 4), load128(0), set(row)]),
    transpose(rows, mixing, state),
  ];
}

function finish({ state, rows, mixing, jobs }: Set): Code {
  return [
    transpose(state, mixing, rows),
    rows.map((row, lane) => [i32Const(0), load32(jobs + 8 * lane + 4), get(row), store128(0)]),
  ];
}

function loadWords({ inputs, rows, mixing, words }: Set): Code {
  return [0, 1, 2, 3].map((quarter) => [
    rows.map((row, lane) => [get(inputs[lane] ?? 0), load128(16 * quarter), set(row)]),
    transpose(rows, mixing, rows),
    rows.map((row, word) => [i32Const(0), get(row), store128(words + 16 * (4 * quarter + word))]),
  ]);
}

function vectorBlock(sets: readonly Set[]): Code {
  const keep = sets.map(({ state, before }) => state.map((at, i) => [get(at), set(before[i] ?? 0)]));
  const steps = SINES.map((_, step) => sets.map(({ state, words }) => vectorStep(step, rolesAt(step, state), words)));
  const add = sets.map(({ state, before }) => state.map((at, i) => [get(at), get(before[i] ?? 0), v128.add, set(at)]));
  return [
    sets.map((lanes) => loadWords(lanes)),
    keep,
    steps,
    add,
    sets.map(({ inputs }) => inputs.map((input) => advance(input, BLOCK))),
    advance(BLOCKS, -1),
  ];
}

/** So many times four lanes. */
function vectors(name: string, count: number): WasmFunction {
  const sets = Array.from({ length: count }, (_, index) => localsOf(index, count));
  return {
    name,
    locals: [
      [4 * count, I32],
      [8 * count + 8, V128],
    ],
    body: [
      sets.map((lanes) => begin(lanes)),
      until([get(BLOCKS), i32.eqz], vectorBlock(sets)),
      sets.map((lanes) => finish(lanes)),
    ],
  };
}

/** Locals of a lane that is worked through by itself: where its blocks are, the state, the state before a block. */
function scalarLocals(lane: number) {
  const first = 1 + 9 * lane;
  return {
    input: first,
    state: [first + 1, first + 2, first + 3, first + 4],
    before: [first + 5, first + 6, first + 7, first + 8],
    job: JOBS + 8 * lane,
  } as const;
}

function scalarStep(step: number, { a, b, c, d }: Roles, input: number): Code {
  const round = step >> 4;
  const not = [i32Const(-1), i32.xor];
  const mixed: readonly Code[] = [
    [get(c), get(d), i32.xor, get(b), i32.and, get(d), i32.xor, i32.add],
    [get(d), not, get(c), i32.and, i32.add, get(b), get(d), i32.and, i32.add],
    [get(c), get(d), i32.xor, get(b), i32.xor, i32.add],
    [get(d), not, get(b), i32.or, get(c), i32.xor, i32.add],
  ];
  const shift = SHIFTS[round]?.[step % 4] ?? 0;
  return [
    get(a),
    i32Const(SINES[step] ?? 0),
    i32.add,
    get(input),
    load32(4 * (WORD_OF_STEP[round]?.(step) ?? 0)),
    i32.add,
    mixed[round] ?? [],
    i32Const(shift),
    i32.rotl,
    get(b),
    i32.add,
    set(a),
  ];
}

/** A few lanes in words of 32 bits, one step of each after the other. */
function scalars(name: string, count: number): WasmFunction {
  const lanes = Array.from({ length: count }, (_, lane) => scalarLocals(lane));
  const work = [
    lanes.map(({ state, before }) => state.map((at, i) => [get(at), set(before[i] ?? 0)])),
    SINES.map((_, step) => lanes.map(({ state, input }) => scalarStep(step, rolesAt(step, state), input))),
    lanes.map(({ state, before }) => state.map((at, i) => [get(at), get(before[i] ?? 0), i32.add, set(at)])),
    lanes.map(({ input }) => advance(input, BLOCK)),
    advance(BLOCKS, -1),
  ];
  const stateAt = (job: number): Code => [i32Const(0), load32(job + 4)];
  return {
    name,
    locals: [[9 * count, I32]],
    body: [
      lanes.map(({ input, state, job }) => [
        i32Const(0),
        load32(job),
        set(input),
        state.map((at, i) => [stateAt(job), load32(4 * i), set(at)]),
      ]),
      until([get(BLOCKS), i32.eqz], work),
      lanes.map(({ state, job }) => state.map((at, i) => [stateAt(job), get(at), store32(4 * i)])),
    ],
  };
}

/** @param blocks room for so many behind `INPUT` */
export function md5Module(blocks: number): Md5Module {
  const words = [scalars('one', 1), scalars('two', 2), scalars('three', 3)];
  const functions = [...words, vectors('four', 1), vectors('eight', VECTOR_LANES / 4)];
  const pages = Math.ceil((MD5_INPUT + blocks * BLOCK) / PAGE);
  const module = instance({ pages, functions }) as Md5Module;
  const constants = new Int32Array(module.memory.buffer, CONSTANTS, 4 * 64);
  for (const [step, sine] of SINES.entries()) {
    // Round four subtracts the complement of its function: see `vectorStep`.
    const value = step < 48 ? sine : sine - 1;
    constants.fill(value, 4 * step, 4 * step + 4);
  }
  return module;
}
