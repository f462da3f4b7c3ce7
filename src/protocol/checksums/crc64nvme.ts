/**
 * CRC-64/NVME (reflected, initial value and final XOR all ones) by slicing-by-8. Halves are kept as
 * 32-bit integers, because BigInt arithmetic would cost a hundred times as much.
 */
const POLYNOMIAL_HIGH = 0x9a6c9329;
const POLYNOMIAL_LOW = 0xac4bc9b5;
const SLICES = 8;
const ENTRIES = 256;

/** Entry `slice * 256 + byte` of each: the effect of that byte when `slice` more bytes follow it. */
const LOW = new Int32Array(SLICES * ENTRIES);
const HIGH = new Int32Array(SLICES * ENTRIES);
fillTables();

function fillTables(): void {
  for (let byte = 0; byte < ENTRIES; byte += 1) {
    let low = byte;
    let high = 0;
    for (let bit = 0; bit < 8; bit += 1) {
      const carry = low & 1;
      low = (low >>> 1) | (high << 31);
      high >>>= 1;
      if (carry === 1) {
        low ^= POLYNOMIAL_LOW;
        high ^= POLYNOMIAL_HIGH;
      }
    }
    LOW[byte] = low;
    HIGH[byte] = high;
  }
  for (let i = ENTRIES; i < SLICES * ENTRIES; i += 1) {
    const low = LOW[i - ENTRIES] ?? 0;
    const high = HIGH[i - ENTRIES] ?? 0;
    LOW[i] = ((low >>> 8) | (high << 24)) ^ (LOW[low & 255] ?? 0);
    HIGH[i] = (high >>> 8) ^ (HIGH[low & 255] ?? 0);
  }
}

export class Crc64Nvme {
  #low = -1;
  #high = -1;

  update(bytes: Uint8Array): void {
    let low = this.#low;
    let high = this.#high;
    const end = bytes.length;
    const sliced = end - (end % SLICES);
    let i = 0;
    for (; i < sliced; i += SLICES) {
      low ^= word(bytes, i);
      high ^= word(bytes, i + 4);
      const a = 1792 + (low & 255);
      const b = 1536 + ((low >>> 8) & 255);
      const c = 1280 + ((low >>> 16) & 255);
      const d = 1024 + (low >>> 24);
      const e = 768 + (high & 255);
      const f = 512 + ((high >>> 8) & 255);
      const g = 256 + ((high >>> 16) & 255);
      const h = high >>> 24;
      low = at(LOW, a) ^ at(LOW, b) ^ at(LOW, c) ^ at(LOW, d) ^ at(LOW, e) ^ at(LOW, f) ^ at(LOW, g) ^ at(LOW, h);
      high =
        at(HIGH, a) ^ at(HIGH, b) ^ at(HIGH, c) ^ at(HIGH, d) ^ at(HIGH, e) ^ at(HIGH, f) ^ at(HIGH, g) ^ at(HIGH, h);
    }
    for (; i < end; i += 1) {
      const index = (low ^ (bytes[i] ?? 0)) & 255;
      low = ((low >>> 8) | (high << 24)) ^ at(LOW, index);
      high = (high >>> 8) ^ at(HIGH, index);
    }
    this.#low = low;
    this.#high = high;
  }

  /** 8 bytes, most significant first. */
  digest(): Buffer {
    const out = Buffer.allocUnsafe(8);
    out.writeInt32BE(~this.#high, 0);
    out.writeInt32BE(~this.#low, 4);
    return out;
  }
}

/** Typed array reads within bounds; the fallback costs nothing once compiled. */
function at(table: Int32Array, index: number): number {
  return table[index] ?? 0;
}

function word(bytes: Uint8Array, i: number): number {
  return (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8) | ((bytes[i + 2] ?? 0) << 16) | ((bytes[i + 3] ?? 0) << 24);
}
