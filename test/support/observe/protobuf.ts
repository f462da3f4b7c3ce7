/**
 * Fields of one message of protocol buffers by their numbers, without a schema.
 * https://protobuf.dev/programming-guides/encoding/
 */
export interface Fields {
  has(number: number): boolean;
  /** The last of a number; 0 when there is none. */
  number(number: number): number;
  /** The last of a number; empty when there is none. */
  bytes(number: number): Buffer;
  /** All of a number, each read as a message. */
  messages(number: number): readonly Fields[];
}

type Value = number | Buffer;

export function text(bytes: Buffer): string {
  return bytes.toString('utf8');
}

/** @throws Error when the bytes are no message */
export function readFields(message: Buffer): Fields {
  const values = new Map<number, Value[]>();
  const reader = new Reader(message);
  while (!reader.atEnd) {
    const tag = reader.varint();
    const number = Math.floor(tag / 8);
    values.set(number, [...(values.get(number) ?? []), reader.value(tag % 8)]);
  }
  const last = (number: number): Value | undefined => values.get(number)?.at(-1);
  return {
    has: (number) => values.has(number),
    number(number) {
      const value = last(number);
      return typeof value === 'number' ? value : 0;
    },
    bytes(number) {
      const value = last(number);
      return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
    },
    messages: (number) => (values.get(number) ?? []).filter((value) => Buffer.isBuffer(value)).map(readFields),
  };
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes.readUInt8(this.#at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  value(wireType: number): Value {
    switch (wireType) {
      case 0:
        return this.varint();
      case 1:
        return Number(this.#take(8).readBigUInt64LE());
      case 2:
        return this.#take(this.varint());
      case 5:
        return this.#take(4).readUInt32LE();
      default:
        throw new Error(`wire type ${wireType}`);
    }
  }

  #take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new Error('the message breaks off');
    return this.#bytes.subarray(this.#at, (this.#at += length));
  }
}
