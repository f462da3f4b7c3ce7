import { crc64Module, CRC64_INPUT, INPUT_SIZE, SLICES, STATE, TABLES } from './crc64nvme-module.ts';

/** CRC-64/NVME: reflected, initial value and final XOR all ones. As 32-bit halves. */
const POLYNOMIAL_HIGH = 0x9a6c9329;
const POLYNOMIAL_LOW = 0xac4bc9b5;
const ENTRIES = 256;

/**
 * One instance for all bodies: each takes its state of eight bytes along, and nothing waits between taking and
 * giving.
 */
const { memory, update } = crc64Module();
const STATE_WORDS = new Int32Array(memory.buffer, STATE, 2);
const INPUT_BYTES = new Uint8Array(memory.buffer, CRC64_INPUT, INPUT_SIZE);
fillTables(new Int32Array(memory.buffer, TABLES, SLICES * ENTRIES * 2));

/** Entry `slice * 256 + byte`: the effect of that byte when `slice` more bytes follow it, low half first. */
function fillTables(words: Int32Array): void {
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
    words[byte * 2] = low;
    words[byte * 2 + 1] = high;
  }
  for (let i = ENTRIES; i < SLICES * ENTRIES; i += 1) {
    const low = words[(i - ENTRIES) * 2] ?? 0;
    const high = words[(i - ENTRIES) * 2 + 1] ?? 0;
    words[i * 2] = ((low >>> 8) | (high << 24)) ^ (words[(low & 255) * 2] ?? 0);
    words[i * 2 + 1] = (high >>> 8) ^ (words[(low & 255) * 2 + 1] ?? 0);
  }
}

export class Crc64Nvme {
  #low = -1;
  #high = -1;

  update(bytes: Uint8Array): void {
    STATE_WORDS[0] = this.#low;
    STATE_WORDS[1] = this.#high;
    for (let start = 0; start < bytes.length; start += INPUT_SIZE) {
      const piece = bytes.length <= INPUT_SIZE ? bytes : bytes.subarray(start, start + INPUT_SIZE);
      INPUT_BYTES.set(piece);
      update(piece.length);
    }
    this.#low = STATE_WORDS[0];
    this.#high = STATE_WORDS[1];
  }

  /** 8 bytes, most significant first. */
  digest(): Buffer {
    const out = Buffer.allocUnsafe(8);
    out.writeInt32BE(~this.#high, 0);
    out.writeInt32BE(~this.#low, 4);
    return out;
  }
}
