import { expect } from 'vitest';

/** Fails when the secret, as it is or escaped, can still be read. */
export function expectGone(output: string, value: string): void {
  let plain = output;
  for (let depth = 0; depth < 6; depth += 1) {
    expect(plain).not.toContain(value);
    plain = plain.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}
