import { describe, expect, it, vi } from 'vitest';
import { Attempts, type LoginVerdict } from '../../../../src/admin/guard/attempts.ts';
import { fixedTokens, type TokenCheck } from '../../../../src/admin/guard/token-check.ts';

const TOKEN = '0123456789abcdef';
const LIMITS = { burst: 5, burstOfAll: 20, pauseMs: 100, pauseOfAllMs: 10, maxWaitMs: 250 };

/** Counts what is looked at. */
function counting(): TokenCheck & { looked: number } {
  const tokens = fixedTokens(() => [TOKEN]);
  const check = { looked: 0, verify: async (token: string) => (check.looked++, tokens.verify(token)) };
  return check;
}

function guess(
  attempts: Attempts,
  check: TokenCheck,
  { count, from }: { count: number; from: (index: number) => string },
): Promise<LoginVerdict[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => attempts.verify(check, `guess-${index}-${TOKEN}`, from(index))),
  );
}

const countOf = (verdicts: readonly LoginVerdict[], verdict: LoginVerdict): number =>
  verdicts.filter((one) => one === verdict).length;

describe('guesses', () => {
  it('of one source are looked at a few at once, then one by one, and turned away beyond that', async () => {
    const [attempts, check] = [new Attempts(LIMITS), counting()];
    const verdicts = await guess(attempts, check, { count: 500, from: () => '192.0.2.1' });
    expect(check.looked).toBeLessThanOrEqual(8);
    expect([countOf(verdicts, 'wrong'), countOf(verdicts, 'braked')]).toEqual([check.looked, 500 - check.looked]);
  });

  it('of many sources have a bound together', async () => {
    const [attempts, check] = [new Attempts(LIMITS), counting()];
    const begun = Date.now();
    const guessed = guess(attempts, check, { count: 2000, from: (index) => `10.0.${index >> 8}.${index & 255}` });
    // On a machine that is busy the guesses take a while to come, and each ten milliseconds let one more be looked at.
    const came = Math.ceil((Date.now() - begun) / LIMITS.pauseOfAllMs);
    await guessed;
    expect(check.looked).toBeLessThanOrEqual(20 + 25 + 1 + came);
  });

  it('of one network of IPv6 are those of one source', async () => {
    const [attempts, check] = [new Attempts(LIMITS), counting()];
    await guess(attempts, check, {
      count: 300,
      from: (index) => `2001:db8:0:1:${index.toString(16)}::${index.toString(16)}`,
    });
    expect(check.looked).toBeLessThanOrEqual(8);
  });
});

describe('a right token', () => {
  it('is looked at soon after guesses, also when the clock of the machine is set back', async () => {
    const [attempts, check] = [new Attempts(LIMITS), counting()];
    await guess(attempts, check, { count: 5, from: () => '192.0.2.1' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    try {
      expect(await attempts.verify(check, TOKEN, '192.0.2.1')).toBe('right');
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes no turns', async () => {
    const [attempts, check] = [new Attempts(LIMITS), counting()];
    for (let i = 0; i < 50; i += 1) expect(await attempts.verify(check, TOKEN, '192.0.2.1')).toBe('right');
  });

  it('that was right before is let in at once amidst guesses from the same place', async () => {
    const [attempts, check] = [new Attempts(LIMITS), counting()];
    await attempts.verify(check, TOKEN, '192.0.2.1');
    const flood = guess(attempts, check, { count: 300, from: () => '192.0.2.1' });
    let isOver = false;
    void flood.then(() => (isOver = true));
    expect(await attempts.verify(check, TOKEN, '192.0.2.1')).toBe('right');
    expect(isOver, 'those that wait for their turn wait on').toBe(false);
    await flood;
  });

  it('is let in from elsewhere, and soon after the guesses have ended from there', async () => {
    const [attempts, check] = [new Attempts(LIMITS), counting()];
    await guess(attempts, check, { count: 300, from: () => '192.0.2.1' });
    expect(await attempts.verify(check, TOKEN, '192.0.2.2')).toBe('right');
    const again = new Attempts(LIMITS);
    await guess(again, check, { count: 300, from: () => '192.0.2.1' });
    await new Promise((resolve) => setTimeout(resolve, LIMITS.pauseMs + 20));
    expect(await again.verify(check, TOKEN, '192.0.2.1')).toBe('right');
  });

  it('is let in at the machine itself, whatever comes from elsewhere', async () => {
    const [attempts, check] = [new Attempts(LIMITS), counting()];
    const flood = guess(attempts, check, { count: 2000, from: (index) => `10.0.${index >> 8}.${index & 255}` });
    expect(await attempts.verify(check, TOKEN, '::ffff:127.0.0.1')).toBe('right');
    await flood;
  });

  it('that is taken back waits like a guess', async () => {
    const [attempts, check] = [new Attempts(LIMITS), counting()];
    await attempts.verify(check, TOKEN, '192.0.2.1');
    const none = fixedTokens(() => []);
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, async () => attempts.verify(none, TOKEN, '192.0.2.1')),
    );
    expect(countOf(verdicts, 'right')).toBe(0);
    expect(await attempts.verify(none, TOKEN, '192.0.2.1')).toBe('wrong');
    const later = await Promise.all(Array.from({ length: 50 }, async () => attempts.verify(none, TOKEN, '192.0.2.1')));
    expect(countOf(later, 'braked')).toBeGreaterThan(40);
  });
});
