import { randomBytes, randomFillSync } from 'node:crypto';

const POOL_BYTES = 8192;
const BASE32 = '0123456789ABCDEFGHIJKLMNOPQRSTUV';

const pool = Buffer.allocUnsafe(POOL_BYTES);
let used = POOL_BYTES;

/** Trace and span ids: a slice of a text costs a tenth of a call that encodes bytes. */
const HEX_POOL_BYTES = 1024;
let hexPool = '';
let hexUsed = 0;

/** Start of `count` fresh random bytes in the pool: one call into the kernel serves hundreds of ids. */
function take(count: number): number {
  if (used + count > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  return used - count;
}

/** 16 characters `[0-9A-V]`, 80 random bits: the form of `x-amz-request-id`. */
export function newRequestId(): string {
  const start = take(16);
  let id = '';
  for (let i = start; i < start + 16; i += 1) id += BASE32.charAt((pool[i] ?? 0) & 31);
  return id;
}

function takeHex(digits: number): string {
  if (hexUsed + digits > hexPool.length) {
    hexPool = randomBytes(HEX_POOL_BYTES).toString('hex');
    hexUsed = 0;
  }
  hexUsed += digits;
  return hexPool.slice(hexUsed - digits, hexUsed);
}

/** 32 lower-case hex digits, not all zero (W3C Trace Context). */
export function newTraceId(): string {
  return takeHex(32);
}

/** 16 lower-case hex digits, not all zero (W3C Trace Context). */
export function newSpanId(): string {
  return takeHex(16);
}

/** An opaque `x-amz-id-2` of a process: which replica answered. */
export function newHostId(): string {
  const start = take(48);
  return pool.toString('base64', start, start + 48);
}

/** Base64url text of `count` random bytes. */
export function randomText(count: number): string {
  const start = take(count);
  return pool.toString('base64url', start, start + count);
}

/** Lower-case hex text of `count` random bytes. */
export function randomHex(count: number): string {
  const start = take(count);
  return pool.toString('hex', start, start + count);
}
