/**
 * Random bytes that repeat: each client draws from a stream of its own, so that what it draws depends on
 * nothing but its own past. Stands in for the system's source in these tests (`vi.mock` in the test files).
 */
interface Stream {
  readonly name: string;
  state: number;
}

let stream: Stream = { name: '', state: 1 };
const streams = new Map<string, Stream>();

/** From now on `name` draws. */
export function drawAs(name: string): void {
  if (stream.name === name) return;
  stream = streams.get(name) ?? startStream(name);
}

/** All streams begin again. */
export function restartRandom(): void {
  streams.clear();
  stream = startStream('');
}

function startStream(name: string): Stream {
  let state = 2_166_136_261;
  for (let i = 0; i < name.length; i++) state = Math.imul(state ^ name.charCodeAt(i), 16_777_619);
  const begun = { name, state: state | 1 };
  streams.set(name, begun);
  return begun;
}

/** xorshift32: short, and good enough to tell names apart. */
function nextByte(): number {
  let { state } = stream;
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  stream.state = state;
  return (state >>> 11) & 0xff;
}

export function randomBytes(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  for (let i = 0; i < count; i++) bytes[i] = nextByte();
  return bytes;
}

export function randomFillSync<T extends Uint8Array>(target: T): T {
  for (let i = 0; i < target.length; i++) target[i] = nextByte();
  return target;
}

export function randomUUID(): string {
  const hex = randomBytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

export function randomText(count: number): string {
  return randomBytes(count).toString('base64url');
}

export function newRequestId(): string {
  return randomBytes(8).toString('hex').toUpperCase();
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newHostId(): string {
  return randomBytes(48).toString('base64');
}

export function randomHex(count: number): string {
  return randomBytes(count).toString('hex');
}
