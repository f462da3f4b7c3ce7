import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SealingKeys } from '../../../../src/access/sessions/sealing-keys.ts';

const ONE = 'one-secret-of-thirty-two-characters-or-more';
const TWO = 'two-secret-of-thirty-two-characters-or-more';
const THREE = 'three-secret-of-thirty-two-characters-or-so';
const PAYLOAD = Buffer.from('who, until when');

describe('session tokens', () => {
  it('are opened by whoever has the key, with the credentials that were handed out', () => {
    const { sessionToken, accessKeyId, secretAccessKey } = new SealingKeys([ONE]).seal(PAYLOAD);
    expect(accessKeyId).toMatch(/^ASIA[A-Z2-7]{16}$/);
    expect(secretAccessKey).toHaveLength(40);
    expect(new SealingKeys([ONE]).open(sessionToken)).toEqual({ payload: PAYLOAD, accessKeyId, secretAccessKey });
  });

  it('never have the same credentials twice', () => {
    const keys = new SealingKeys([ONE]);
    const made = Array.from({ length: 200 }, () => keys.seal(PAYLOAD));
    for (const field of ['accessKeyId', 'secretAccessKey', 'sessionToken'] as const) {
      expect(new Set(made.map((one) => one[field])).size).toBe(200);
    }
  });

  it('outlive a change of keys, replica by replica', () => {
    const before = new SealingKeys([ONE]).seal(PAYLOAD).sessionToken;
    const opensBoth = new SealingKeys([ONE, TWO]);
    const sealsNew = new SealingKeys([TWO, ONE]);
    expect([opensBoth, sealsNew].map((keys) => keys.open(before)?.payload.toString())).toEqual([
      'who, until when',
      'who, until when',
    ]);
    expect(opensBoth.open(sealsNew.seal(PAYLOAD).sessionToken)).toBeDefined();
    expect(new SealingKeys([TWO]).open(before)).toBeUndefined();
    expect(new SealingKeys([THREE]).open(before)).toBeUndefined();
  });

  it("that were changed in any bit are nobody's", () => {
    const keys = new SealingKeys([ONE]);
    const { sessionToken } = keys.seal(PAYLOAD);
    const bytes = Buffer.from(sessionToken, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(keys.open(changed.toString('base64url'))).toBeUndefined();
    }
  });

  it('have one form: what decodes to the same bytes is another text', () => {
    const keys = new SealingKeys([ONE]);
    const { sessionToken } = keys.seal(Buffer.from('12'));
    for (const odd of [
      `${sessionToken}=`,
      ` ${sessionToken}`,
      `${sessionToken}\n`,
      sessionToken.replaceAll('-', '+').replaceAll('_', '/') + '+',
    ]) {
      expect(keys.open(odd)).toBeUndefined();
    }
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const same = Array.from(alphabet).filter((last) =>
      Buffer.from(sessionToken.slice(0, -1) + last, 'base64url').equals(Buffer.from(sessionToken, 'base64url')),
    );
    expect(same.filter((last) => keys.open(sessionToken.slice(0, -1) + last) !== undefined)).toEqual([
      sessionToken.at(-1),
    ]);
  });

  it('of any text are refused without ado', () => {
    const keys = new SealingKeys([ONE]);
    const { sessionToken } = keys.seal(PAYLOAD);
    const bytes = fc.uint8Array({ maxLength: 400 }).map((some) => Buffer.from(some).toString('base64url'));
    const altered = fc
      .tuple(fc.nat(sessionToken.length), fc.string({ maxLength: 8 }))
      .map(([at, text]) => sessionToken.slice(0, at) + text + sessionToken.slice(at + text.length + 1));
    const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), bytes, altered);
    fc.assert(
      fc.property(texts, (text) => {
        expect(keys.open(text) === undefined || text === sessionToken).toBe(true);
      }),
      { numRuns: 5000 },
    );
    expect(keys.open('A'.repeat(1_000_000))).toBeUndefined();
  });

  it('need secrets that cannot be guessed', () => {
    expect(() => new SealingKeys(['short'])).toThrow('32 characters');
    expect(() => new SealingKeys([])).toThrow('at least one');
  });
});
