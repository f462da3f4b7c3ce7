/**
 * WebAssembly for a reflected CRC of 64 bits by slicing-by-16: JavaScript has no 64-bit integers but BigInt, and in
 * halves of 32 it reads twice as many tables. The module is put together here, instruction by instruction, so that no
 * binary lies in the repository.
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

/** The entry of a table for one byte of a half, whose place in it is given; leaves eight bytes. */
function entryOf(byte: number, slice: number): Code {
  // The byte times eight, in two instructions.
  const index = byte === 0 ? [i32Const(3), i32.shl] : [i32Const(byte * 8 - 3), i32.shrUnsigned];
  return [get(HALF), index, i32Const(0x7f8), i32.and, load64(TABLES + slice * SLICE_BYTES)];
}

/** The effect of a word of eight bytes behind which `after` more are taken at the same time. */
function effectOf(after: number): Code {
  const half = (first: number): Code =>
    [0, 1, 2, 3].map((byte) => [entryOf(byte, after + 7 - first - byte), first + byte > 0 ? i64.xor : []]);
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
    [1, I32],
  ] as const;
  const functions = [{ name: 'update', locals, body: body() }];
  return instance({ pages: (INPUT + INPUT_SIZE) / PAGE, functions }) as Crc64Module;
}
