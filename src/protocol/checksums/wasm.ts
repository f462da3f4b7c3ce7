/**
 * A small assembler of WebAssembly: what the checksums need of it, so that no binary lies in the repository.
 * Instructions are bytes, or lists of them in lists (https://webassembly.github.io/spec/core/binary/instructions.html).
 */

/** What is used of the global that Node has, and its type declarations only with a browser's. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

export type Code = number | readonly Code[];

/** Bytes of a page of its memory. */
export const PAGE = 65_536;

export const I32 = 0x7f;
export const I64 = 0x7e;
export const V128 = 0x7b;
const END = 0x0b;

const EMPTY = 0x40;
const [block, loop, br, brIf] = [0x02, 0x03, 0x0c, 0x0d];

export const i32 = {
  lessUnsigned: 0x49,
  add: 0x6a,
  sub: 0x6b,
  and: 0x71,
  or: 0x72,
  xor: 0x73,
  shl: 0x74,
  shrUnsigned: 0x76,
  rotl: 0x77,
  eqz: 0x45,
};
export const i64 = { and: 0x83, xor: 0x85, shrUnsigned: 0x88, toI32: 0xa7 };
/** Four words of 32 bits at a time. */
export const v128 = {
  and: [0xfd, 78],
  andNot: [0xfd, 79],
  or: [0xfd, 80],
  xor: [0xfd, 81],
  /** Takes the bits of the first where the third has ones, else those of the second. */
  select: [0xfd, 82],
  shl: [0xfd, unsigned(171)],
  shrUnsigned: [0xfd, unsigned(173)],
  add: [0xfd, unsigned(174)],
  sub: [0xfd, unsigned(177)],
} as const satisfies Record<string, Code>;

function unsigned(value: number): Code {
  return value < 128 ? value : [(value & 127) | 128, unsigned(value >>> 7)];
}

/** LEB128 of a number of 32 bits with a sign. */
function signed(value: number): Code {
  const rest = value >> 6;
  return rest === 0 || rest === -1 ? value & 127 : [(value & 127) | 128, signed(value >> 7)];
}

export const get = (local: number): Code => [0x20, local];
export const set = (local: number): Code => [0x21, local];
export const i32Const = (value: number): Code => [0x41, signed(value)];
export const i64Const = (value: number): Code => [0x42, signed(value)];
/** Loads and stores at any alignment, `offset` bytes behind the address on the stack. */
export const load32 = (offset: number): Code => [0x28, 0, unsigned(offset)];
export const load64 = (offset: number): Code => [0x29, 0, unsigned(offset)];
export const load8As64 = (offset: number): Code => [0x31, 0, unsigned(offset)];
export const store32 = (offset: number): Code => [0x36, 0, unsigned(offset)];
export const store64 = (offset: number): Code => [0x37, 0, unsigned(offset)];
export const load128 = (offset: number): Code => [0xfd, 0, 0, unsigned(offset)];
export const store128 = (offset: number): Code => [0xfd, 11, 0, unsigned(offset)];
/** A vector of zeros. */
export const zero128: Code = [0xfd, 12, Array.from({ length: 16 }, () => 0)];
/** Of two vectors the four words that are named: 0 to 3 are those of the first. */
export function pick(...words: readonly [number, number, number, number]): Code {
  return [0xfd, 13, words.map((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte))];
}

/** Does `work` over and over until what `leave` puts on the stack is not zero. */
export function until(leave: Code, work: Code): Code {
  return [block, EMPTY, loop, EMPTY, leave, brIf, 1, work, br, 0, END, END];
}

/** Does `work` once, if `condition` leaves zero. */
export function unless(condition: Code, work: Code): Code {
  return [block, EMPTY, condition, brIf, 0, work, END];
}

/** Adds a constant to a local. */
export function advance(local: number, by: number): Code {
  return [get(local), i32Const(by), i32.add, set(local)];
}

/** A function of one number that answers nothing. */
export interface WasmFunction {
  readonly name: string;
  /** Behind the parameter, which is local 0: how many of which type. */
  readonly locals: readonly (readonly [count: number, type: number])[];
  readonly body: Code;
}

interface WasmModule {
  /** What it has at first. */
  readonly pages: number;
  readonly functions: readonly WasmFunction[];
}

/** Compiles a module that exports `memory` and the functions. */
export function instance({ pages, functions }: WasmModule): unknown {
  const codes = functions.map(({ locals, body }) =>
    sized([locals.length, locals.map(([count, type]) => [unsigned(count), type]), body, END]),
  );
  const exported = functions.map(({ name }, index) => [named(name), 0, index]);
  const module = [
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, [1, 0x60, 1, I32, 0]),
    section(3, [functions.length, functions.map(() => 0)]),
    section(5, [1, 0, unsigned(pages)]),
    section(7, [1 + functions.length, named('memory'), 2, 0, exported]),
    section(10, [functions.length, codes]),
  ];
  return new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(flat(module)))).exports;
}

function section(id: number, content: Code): Code {
  return [id, sized(content)];
}

function sized(content: Code): Code {
  const bytes = flat(content);
  return [unsigned(bytes.length), bytes];
}

function named(name: string): Code {
  return [name.length, [...Buffer.from(name)]];
}

function flat(code: Code, into: number[] = []): number[] {
  if (typeof code === 'number') into.push(code);
  else for (const part of code) flat(part, into);
  return into;
}
