/**
 * WebAssembly for a reflected CRC of 64 bits: JavaScript has no 64-bit integers but BigInt, and in halves of 32 it
 * reads twice as many tables. Each step waits for the one before it, so four stretches that lie behind each other are
 * worked through side by side by slicing-by-8, and what they come to is combined; what is left over goes by
 * slicing-by-16. The module is put together here, instruction by instruction, so that no binary lies in the repository.
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
  load64,
  load8As64,
  set,
  store64,
  until,
} from './wasm.ts';

/** Where things lie in its memory. */
export const STATE = 0;
export const TABLES = 1024;
export const SLICES = 16;
/** Entry `byte * 256 + value`: what a state with that value in that byte and zeros else is after a stretch of zeros. */
export const LATER = 36 * 1024;
/** Bytes of a stretch, and how many of them go side by side. */
export const STRETCH = 1024;
const STRETCHES = 4;
export const INPUT = PAGE;
export const INPUT_SIZE = PAGE;
const SLICE_BYTES = 2048;

interface Crc64Module {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Takes the state, and so many bytes from `INPUT`. */
  readonly update: (length: number) => void;
}

/** Locals: the parameter first. */
const [LEFT, AT, CRC, WORD, HALF] = [0, 1, 2, 3, 4];
/** Behind them how much is left of the stretches, and the CRCs of those behind the first one. */
const REST = 5;
const OTHERS = [6, 7, 8] as const;

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

/** Four stretches. */
function sideBySide(): Code {
  const eight = [CRC, ...OTHERS].map((crc, stretch) => [
    get(crc),
    get(AT),
    load64(stretch * STRETCH),
    i64.xor,
    set(WORD),
    effectOf(0),
    set(crc),
  ]);
  const later = entriesOf((byte) => LATER + byte * SLICE_BYTES);
  return [
    OTHERS.map((crc) => [i64Const(0), set(crc)]),
    i32Const(STRETCH),
    set(REST),
    until([get(REST), i32.eqz], [eight, advance(AT, 8), advance(REST, -8)]),
    OTHERS.map((crc) => [get(CRC), set(WORD), later, get(crc), i64.xor, set(CRC)]),
    advance(AT, (STRETCHES - 1) * STRETCH),
    advance(LEFT, -STRETCHES * STRETCH),
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
    i32Const(INPUT),
    set(AT),
    i32Const(STATE),
    load64(0),
    set(CRC),
    until([get(LEFT), i32Const(STRETCHES * STRETCH), i32.lessUnsigned], sideBySide()),
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
    [OTHERS.length, I64],
  ] as const;
  const functions = [{ name: 'update', locals, body: body() }];
  return instance({ pages: (INPUT + INPUT_SIZE) / PAGE, functions }) as Crc64Module;
}
