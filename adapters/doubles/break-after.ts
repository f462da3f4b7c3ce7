import { Transform } from 'node:stream';

/** Lets this many bytes pass, then fails. A body that is shorter fails at its end. */
export function breakAfter(bytes: number, error: Error): Transform {
  let left = bytes;
  return new Transform({
    transform(chunk: Buffer, _encoding, done): void {
      if (left > 0) this.push(chunk.subarray(0, left));
      left -= chunk.byteLength;
      done(left < 0 ? error : null);
    },
    flush(done): void {
      done(error);
    },
  });
}
