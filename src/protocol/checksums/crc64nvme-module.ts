/**
 * WebAssembly for CRC-64/NVME: JavaScript has no 64-bit integers but BigInt, and tables cost much for each byte.
 *
 * A message has the same CRC as what is left of it after division by any multiple of the polynomial. `MULTIPLE` has
 * only eight terms, and its powers of x are multiples of eight: to divide by it is an XOR of each byte with seven that
 * lie before it, of sixteen at a time (the idea: "Chorba", arXiv 2412.16398). What is left, some 1,800 bytes, goes by
 * tables, slicing-by-16. The module is put together here, instruction by instruction, so that no binary lies in the
 * repository.
 */

import {
  type Code,
  I32,
  I64,
  PAGE,
  advance,
  get,
  i32,
  i32Const,
  i64,
  i64Const,
  instance,
  load128,
  load64,
  load8As64,
  set,
  store128,
  store64,
  unless,
  until,
  v128,
  zero128,
} from './wasm.ts';

/** Where things lie in its memory. */
export const STATE = 0;
export const TABLES = 1024;
export const SLICES = 16;
export const CRC64_INPUT = PAGE;
export const INPUT_SIZE = PAGE;
const SLICE_BYTES = 2048;

/**
 * Powers of y with y = x^8 of a multiple of the polynomial P, found by a search: R(x) with these powers is one, and
 * R(x^8) is R(x)^8 where coefficients are bits. A byte depends on none that is less than 280 before it, so those have
 * long been stored.
 */
export const MULTIPLE = [1740, 1460, 761, 568, 142, 133, 95, 0] as const;
const [DEGREE, ...LOWER] = MULTIPLE;
/** So many bytes before each that is divided lie the quotients that change it. */
const DISTANCES = LOWER.map((power) => DEGREE - power);
/** Bytes that are divided together. */
const GROUP = 32;
/** What is left after the division is at least as long as the degree; a group more would be divided. */
const REMAINDER = Math.ceil(DEGREE / GROUP) * GROUP;
/** With less the tables have most of the work in any case. */
const WORTHWHILE = 2 * REMAINDER;
/**
 * From a byte to its quotient. Before the quotients lie zeros for those of no byte. Behind them, where there are
 * remainders instead, `divide` puts some.
 */
const TO_QUOTIENT = INPUT_SIZE + GROUP + REMAINDER;
const MEMORY = CRC64_INPUT + TO_QUOTIENT + INPUT_SIZE + GROUP;

interface Crc64Module {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Takes the state, and so many bytes from `INPUT`, which it changes. */
  readonly update: (length: number) => void;
}

/** Locals: the parameter first. */
const [LEFT, AT, CRC, WORD, HALF, BEHIND] = [0, 1, 2, 3, 4, 5];

/** The entry of the table at an address for one byte of a half, whose place in it is given; leaves eight bytes. */
function entryOf(byte: number, table: number): Code {
  // The byte times eight, in two instructions.
  const index = byte === 0 ? [i32Const(3), i32.shl] : [i32Const(byte * 8 - 3), i32.shrUnsigned];
  return [get(HALF), index, i32Const(0x7f8), i32.and, load64(table)];
}

/** What the entries of all bytes of the word come to; `tableOf` says where the table of each byte is. */
function entriesOf(tableOf: (byte: number) => number): Code {
  const half = (first: number): Code =>
    [0, 1, 2, 3].map((byte) => [entryOf(byte, tableOf(first + byte)), first + byte > 0 ? i64.xor : []]);
  return [
    get(WORD),
    i64.toI32,
    set(HALF),
    half(0),
    get(WORD),
    i64Const(32),
    i64.shrUnsigned,
    i64.toI32,
    set(HALF),
    half(4),
  ];
}

/** The effect of a word of eight bytes behind which `after` more are taken at the same time. */
function effectOf(after: number): Code {
  return entriesOf((byte) => TABLES + (after + 7 - byte) * SLICE_BYTES);
}

/** Sixteen bytes at a distance from `AT`, and what the quotients before them change. */
function divided(offset: number): Code {
  const changes = DISTANCES.map((bytes) => [get(AT), load128(offset + TO_QUOTIENT - bytes), v128.xor]);
  return [get(AT), load128(offset), changes];
}

/** So many times sixteen bytes, from `AT` on. */
const inVectors = (bytes: number, work: (offset: number) => Code): Code =>
  Array.from({ length: bytes / 16 }, (_, index) => work(16 * index));

/** Divides, and leaves the remainder in place of the last bytes, from `AT` on, and zero as the state. */
function divide(): Code {
  const overRemainder = (work: Code): Code => [
    get(AT),
    set(HALF),
    i32Const(REMAINDER + GROUP),
    set(BEHIND),
    until([get(BEHIND), i32.eqz], [work, advance(AT, GROUP), advance(BEHIND, -GROUP)]),
    get(HALF),
    set(AT),
  ];
  const quotient = (offset: number): Code => [get(AT), divided(offset), store128(TO_QUOTIENT + offset)];
  const none = (offset: number): Code => [get(AT), zero128, store128(TO_QUOTIENT + offset)];
  const remainder = (offset: number): Code => [get(AT), divided(offset), store128(offset)];
  return [
    get(AT),
    get(AT),
    load64(0),
    get(CRC),
    i64.xor,
    store64(0),
    i64Const(0),
    set(CRC),
    until(
      [get(LEFT), i32Const(REMAINDER + GROUP), i32.lessUnsigned],
      [inVectors(GROUP, quotient), advance(AT, GROUP), advance(LEFT, -GROUP)],
    ),
    overRemainder(inVectors(GROUP, none)),
    overRemainder(inVectors(GROUP, remainder)),
  ];
}

/** Sixteen bytes. */
function sixteen(): Code {
  return [
    get(CRC),
    get(AT),
    load64(0),
    i64.xor,
    set(WORD),
    effectOf(8),
    get(AT),
    load64(8),
    set(WORD),
    effectOf(0),
    i64.xor,
    set(CRC),
    advance(AT, 16),
    advance(LEFT, -16),
  ];
}

/** One byte. */
function one(): Code {
  return [
    get(CRC),
    get(AT),
    load8As64(0),
    i64.xor,
    i64Const(255),
    i64.and,
    i64.toI32,
    i32Const(3),
    i32.shl,
    load64(TABLES),
    get(CRC),
    i64Const(8),
    i64.shrUnsigned,
    i64.xor,
    set(CRC),
    advance(AT, 1),
    advance(LEFT, -1),
  ];
}

function body(): Code {
  return [
    i32Const(CRC64_INPUT),
    set(AT),
    i32Const(STATE),
    load64(0),
    set(CRC),
    unless([get(LEFT), i32Const(WORTHWHILE), i32.lessUnsigned], divide()),
    until([get(LEFT), i32Const(16), i32.lessUnsigned], sixteen()),
    until([get(LEFT), i32.eqz], one()),
    i32Const(STATE),
    get(CRC),
    store64(0),
  ];
}

export function crc64Module(): Crc64Module {
  const locals = [
    [1, I32],
    [2, I64],
    [2, I32],
  ] as const;
  const functions = [{ name: 'update', locals, body: body() }];
  return instance({ pages: Math.ceil(MEMORY / PAGE), functions }) as Crc64Module;
}
