import type { AccessToken, TokenCredential } from '@azure/identity';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fetchToken } from '../../../../adapters/azure/credentials.ts';
import { TokenSource } from '../../../../adapters/shared/token-source.ts';

const MINUTE = 60_000;
let asked: string[] = [];
let next: () => Promise<AccessToken | null>;

function source(): TokenSource {
  const credential: TokenCredential = {
    getToken(scopes) {
      asked.push(String(scopes));
      return next();
    },
  };
  return new TokenSource(() => fetchToken(credential, 'scope'));
}

/** Tokens `1`, `2`, ..., good for an hour each. */
function issue(): Promise<AccessToken> {
  return Promise.resolve({ token: String(asked.length), expiresOnTimestamp: Date.now() + 60 * MINUTE });
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  asked = [];
  next = issue;
});

afterEach(() => {
  vi.useRealTimers();
});

test('one token for all who ask, at hand once it is there', async () => {
  const tokens = source();
  expect(await Promise.all([tokens.current(), tokens.current()])).toEqual(['1', '1']);
  expect(tokens.current()).toBe('1');
  expect(asked).toEqual(['scope']);
});

test('renewed five minutes ahead, while the old one still serves', async () => {
  const tokens = source();
  await tokens.current();
  vi.advanceTimersByTime(56 * MINUTE);
  expect(tokens.current()).toBe('1');
  await expect.poll(() => tokens.current()).toBe('2');
  expect(asked).toHaveLength(2);
});

test('a failed renewal is no failure of the call until the token has expired, and is not repeated at once', async () => {
  const tokens = source();
  await tokens.current();
  next = () => Promise.reject(new Error('down'));
  vi.advanceTimersByTime(56 * MINUTE);
  for (let i = 0; i < 3; i += 1) expect(await tokens.current()).toBe('1');
  expect(asked).toHaveLength(2);
  vi.advanceTimersByTime(MINUTE);
  expect(await tokens.current()).toBe('1');
  expect(asked).toHaveLength(3);
  vi.advanceTimersByTime(4 * MINUTE);
  await expect(tokens.current()).rejects.toThrow('down');
  next = issue;
  expect(await tokens.current()).toBe(String(asked.length));
});

test('a credential that gives no token fails', async () => {
  next = () => Promise.resolve(null);
  await expect(source().current()).rejects.toThrow('no token');
});
