/**
 * WebAssembly for a reflected CRC of 64 bits by slicing-by-16: JavaScript has no 64-bit integers but BigInt, and in
 * halves of 32 it reads twice as many tables. The module is put together here, instruction by instruction, so that no
 * binary lies in the repository.
 */

/** What is used of the global that Node has, and its type declarations only with a browser's. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** Where things lie in its memory. */
export const STATE = 0;
export const TABLES = 1024;
export const SLICES = 16;
const PAGE = 65_536;
export const INPUT = PAGE;
export const INPUT_SIZE = PAGE;
const SLICE_BYTES = 2048;

interface Crc64Module {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Takes the state, and so many bytes from `INPUT`. */
  readonly update: (length: number) => void;
}

type Code = readonly number[];

/**
 * Types, and instructions with what follows them (https://webassembly.github.io/spec/core/binary/instructions.html).
 */
const I32 = 0x7f;
const I64 = 0x7e;
const EMPTY = 0x40;
const [block, loop, end, br, brIf] = [0x02, 0x03, 0x0b, 0x0c, 0x0d];
const i32 = { lessUnsigned: 0x49, add: 0x6a, sub: 0x6b, and: 0x71, shl: 0x74, shrUnsigned: 0x76, eqz: 0x45 };
const i64 = { and: 0x83, xor: 0x85, shrUnsigned: 0x88, toI32: 0xa7 };

function unsigned(value: number): Code {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

/** Constants here are not negative: a seventh bit that is set takes a byte more. */
function constant(value: number): Code {
  return value < 64 ? [value] : [(value & 127) | 128, ...constant(value >>> 7)];
}

const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const i32Const = (value: number): Code => [0x41, ...constant(value)];
const i64Const = (value: number): Code => [0x42, ...constant(value)];
/** Loads at any alignment. */
const load64 = (offset: number): Code => [0x29, 0, ...unsigned(offset)];
const load8As64 = (offset: number): Code => [0x31, 0, ...unsigned(offset)];
const store64 = (offset: number): Code => [0x37, 0, ...unsigned(offset)];

/** Locals: the parameter first. */
const [LEFT, AT, CRC, WORD, HALF] = [0, 1, 2, 3, 4];

/** The entry of a table for one byte of a half, whose place in it is given; leaves eight bytes. */
function entryOf(byte: number, slice: number): Code {
  // The byte times eight, in two instructions.
  const index = byte === 0 ? [...i32Const(3), i32.shl] : [...i32Const(byte * 8 - 3), i32.shrUnsigned];
  return [...get(HALF), ...index, ...i32Const(0x7f8), i32.and, ...load64(TABLES + slice * SLICE_BYTES)];
}

/** The effect of a word of eight bytes behind which `after` more are taken at the same time. */
function effectOf(after: number): Code {
  const half = (first: number): Code =>
    [0, 1, 2, 3].flatMap((byte) => [
      ...entryOf(byte, after + 7 - first - byte),
      ...(first + byte > 0 ? [i64.xor] : []),
    ]);
  return [
    ...get(WORD),
    i64.toI32,
    ...set(HALF),
    ...half(0),
    ...get(WORD),
    ...i64Const(32),
    i64.shrUnsigned,
    i64.toI32,
    ...set(HALF),
    ...half(4),
  ];
}

/** Sixteen bytes. */
function sixteen(): Code {
  return [
    ...get(CRC),
    ...get(AT),
    ...load64(0),
    i64.xor,
    ...set(WORD),
    ...effectOf(8),
    ...get(AT),
    ...load64(8),
    ...set(WORD),
    ...effectOf(0),
    i64.xor,
    ...set(CRC),
    ...get(AT),
    ...i32Const(16),
    i32.add,
    ...set(AT),
    ...get(LEFT),
    ...i32Const(16),
    i32.sub,
    ...set(LEFT),
  ];
}

/** One byte. */
function one(): Code {
  return [
    ...get(CRC),
    ...get(AT),
    ...load8As64(0),
    i64.xor,
    ...i64Const(255),
    i64.and,
    i64.toI32,
    ...i32Const(3),
    i32.shl,
    ...load64(TABLES),
    ...get(CRC),
    ...i64Const(8),
    i64.shrUnsigned,
    i64.xor,
    ...set(CRC),
    ...get(AT),
    ...i32Const(1),
    i32.add,
    ...set(AT),
    ...get(LEFT),
    ...i32Const(1),
    i32.sub,
    ...set(LEFT),
  ];
}

function body(): Code {
  const whileIs = (leave: Code, work: Code): Code => [
    block,
    EMPTY,
    loop,
    EMPTY,
    ...leave,
    brIf,
    1,
    ...work,
    br,
    0,
    end,
    end,
  ];
  return [
    ...i32Const(INPUT),
    ...set(AT),
    ...i32Const(STATE),
    ...load64(0),
    ...set(CRC),
    ...whileIs([...get(LEFT), ...i32Const(16), i32.lessUnsigned], sixteen()),
    ...whileIs([...get(LEFT), i32.eqz], one()),
    ...i32Const(STATE),
    ...get(CRC),
    ...store64(0),
    end,
  ];
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function named(name: string): Code {
  return [name.length, ...Buffer.from(name)];
}

export function crc64Module(): Crc64Module {
  const locals = [3, 1, I32, 2, I64, 1, I32];
  const code = [...locals, ...body()];
  const bytes = Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 1, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, (INPUT + INPUT_SIZE) / PAGE]),
    ...section(7, [2, ...named('memory'), 2, 0, ...named('update'), 0, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as Crc64Module;
}
