import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inClusterApi, type KubernetesApi } from '../../../../src/admin/guard/kubernetes-api.ts';
import { reviewToken } from '../../../../src/admin/guard/kubernetes-review.ts';
import { anyOf, fixedTokens } from '../../../../src/admin/guard/token-check.ts';
import { type ReviewedToken, tokenReview, type TokenReviewOptions } from '../../../../src/admin/guard/token-review.ts';

const OPERATOR: ReviewedToken = {
  authenticated: true,
  username: 'system:serviceaccount:storage:operator',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:storage'],
  audiences: ['s3gw'],
};

function checkOf(review: TokenReviewOptions['review'], changes: Partial<TokenReviewOptions> = {}) {
  return tokenReview({ review, audiences: [], users: [OPERATOR.username], groups: [], rememberMs: 30_000, ...changes });
}

describe('who is let in', () => {
  it.each<[string, Partial<ReviewedToken>, Partial<TokenReviewOptions>, string]>([
    ['the user named', {}, {}, 'right'],
    ['another one', { username: 'system:serviceaccount:storage:default' }, {}, 'wrong'],
    ['a member of a group', { username: 'x' }, { users: [], groups: ['system:serviceaccounts:storage'] }, 'right'],
    ['nobody, when nobody is named', {}, { users: [] }, 'wrong'],
    ['who is not authenticated', { authenticated: false }, {}, 'wrong'],
    ['a token for the right audience', {}, { audiences: ['other', 's3gw'] }, 'right'],
    ['a token for another audience', {}, { audiences: ['other'] }, 'wrong'],
  ])('%s', async (_, reviewed, options, verdict) => {
    expect(await checkOf(async () => ({ ...OPERATOR, ...reviewed }), options).verify('t')).toBe(verdict);
  });
});

describe('calls to the API server', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('are remembered for a while, each token by itself; wrong ones for a shorter one', async () => {
    const review = vi.fn(async (token: string) => ({ ...OPERATOR, authenticated: token !== 'bad' }));
    const check = checkOf(review);
    for (let i = 0; i < 5; i += 1) {
      expect([await check.verify('good'), await check.verify('bad')]).toEqual(['right', 'wrong']);
    }
    expect(review).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(3000);
    expect([await check.verify('good'), await check.verify('bad')]).toEqual(['right', 'wrong']);
    expect(review).toHaveBeenCalledTimes(3);
    vi.advanceTimersByTime(30_000);
    await check.verify('good');
    expect(review).toHaveBeenCalledTimes(4);
  });

  it('are made again in time when the clock of the machine is set back', async () => {
    const review = vi.fn(async () => OPERATOR);
    const check = checkOf(review);
    await check.verify('t');
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(31_000);
    await check.verify('t');
    expect(review).toHaveBeenCalledTimes(2);
  });

  it('are shared by those who ask at the same time', async () => {
    const review = vi.fn(async () => OPERATOR);
    const check = checkOf(review);
    expect(await Promise.all([check.verify('t'), check.verify('t'), check.verify('t')])).toEqual([
      'right',
      'right',
      'right',
    ]);
    expect(review).toHaveBeenCalledTimes(1);
  });

  it('that fail say nothing about the token, and are made again', async () => {
    const errors: unknown[] = [];
    const review = vi
      .fn<TokenReviewOptions['review']>()
      .mockRejectedValueOnce(new Error('down'))
      .mockResolvedValue(OPERATOR);
    const check = checkOf(review, { onError: (error) => errors.push(error) });
    expect(await check.verify('t')).toBe('unknown');
    expect(await check.verify('t')).toBe('right');
    expect(errors).toHaveLength(1);
  });

  it('are few at a time, whatever strangers send', async () => {
    const waiting: ((reviewed: ReviewedToken) => void)[] = [];
    const check = checkOf(() => new Promise((resolve) => waiting.push(resolve)));
    const asked = Array.from({ length: 50 }, (_, index) => check.verify(`guess ${index}`));
    expect(waiting.length).toBeLessThanOrEqual(8);
    for (const resolve of waiting) resolve({ ...OPERATOR, authenticated: false });
    const verdicts = await Promise.all(asked);
    expect(new Set(verdicts)).toEqual(new Set(['wrong', 'unknown']));
  });

  it('are never all taken by made-up tokens: two for one source, four for strangers, the rest for tokens that were right before', async () => {
    const waiting: string[] = [];
    const review = vi.fn(async (token: string) => {
      if (token.startsWith('made-up')) return new Promise<ReviewedToken>(() => void waiting.push(token));
      return { ...OPERATOR, authenticated: token.startsWith('good') };
    });
    const check = checkOf(review);
    expect(await check.verify('good', 'desk')).toBe('right');
    for (let index = 0; index < 20; index += 1) void check.verify(`made-up ${index}`, 'stranger');
    expect(waiting).toHaveLength(2);
    expect(await check.verify('good too', 'desk')).toBe('right');
    for (let index = 0; index < 20; index += 1) void check.verify(`made-up by ${index}`, `stranger ${index}`);
    expect(waiting).toHaveLength(4);
    vi.advanceTimersByTime(31_000);
    expect(await check.verify('good', 'desk')).toBe('right');
    expect(review.mock.calls.filter(([token]) => token === 'good')).toHaveLength(2);
  });

  it('about tokens that are right are not pushed out by those about others', async () => {
    const review = vi.fn(async (token: string) => ({ ...OPERATOR, authenticated: token === 'good' }));
    const check = checkOf(review);
    await check.verify('good');
    for (let index = 0; index < 600; index += 1) await check.verify(`made-up ${index}`);
    review.mockClear();
    expect(await check.verify('good')).toBe('right');
    expect(review).not.toHaveBeenCalled();
  });
});

describe('the API server', () => {
  let server: Server;
  let api: KubernetesApi;
  const seen: { url: string | undefined; authorization: string | undefined; body: unknown }[] = [];
  let answer: { status: number; body: string };

  beforeEach(async () => {
    seen.length = 0;
    answer = {
      status: 201,
      body: JSON.stringify({
        kind: 'TokenReview',
        status: {
          authenticated: true,
          user: { username: OPERATOR.username, groups: OPERATOR.groups },
          audiences: ['s3gw'],
        },
      }),
    };
    server = createServer((request, response) => {
      let text = '';
      request
        .setEncoding('utf8')
        .on('data', (piece: string) => (text += piece))
        .on('end', () => {
          seen.push({ url: request.url, authorization: request.headers.authorization, body: JSON.parse(text) });
          response.writeHead(answer.status).end(answer.body);
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const tokenFile = join(mkdtempSync(join(tmpdir(), 'review-')), 'token');
    writeFileSync(tokenFile, 'own-token\n');
    api = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, tokenFile, caFile: undefined };
  });

  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const review = (audiences: readonly string[] = []): Promise<ReviewedToken> =>
    reviewToken(api, { token: 'shown', audiences }, AbortSignal.timeout(5000));

  it("is asked with the gateway's own token", async () => {
    expect(await review(['s3gw'])).toEqual(OPERATOR);
    expect(seen).toEqual([
      {
        url: '/apis/authentication.k8s.io/v1/tokenreviews',
        authorization: 'Bearer own-token',
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token: 'shown', audiences: ['s3gw'] },
        },
      },
    ]);
  });

  it('answers what is no JSON: the error quotes nothing of it, as the token may stand in there', async () => {
    answer = { status: 201, body: '{"spec":{"token":"shown"},}' };
    const error: unknown = await review().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error)).toContain('no JSON');
    expect(inspect(error)).not.toContain('shown');
  });

  it.each([
    {},
    { status: {} },
    { status: { authenticated: true } },
    { status: { authenticated: 'true', user: { username: 'x' } } },
    { status: { authenticated: true, user: { username: 7 } } },
    [],
  ])('says %j: nobody', async (body) => {
    answer = { status: 201, body: JSON.stringify(body) };
    expect(await review()).toMatchObject({ authenticated: false });
  });

  it.each([
    [403, '{}'],
    [500, ''],
    [201, 'no JSON'],
    [201, `"${'x'.repeat(300_000)}"`],
  ])('answers %d with what is no review: that is an error, without a token', async (status, body) => {
    answer = { status, body };
    await expect(review()).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/shown|own-token/) as unknown }) as Error,
    );
  });

  it('is found by a pod', () => {
    expect(inClusterApi({})).toBeUndefined();
    expect(inClusterApi({ KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' })?.server).toBe(
      'https://10.0.0.1:6443',
    );
    expect(inClusterApi({ KUBERNETES_SERVICE_HOST: 'fd00::1' })).toMatchObject({
      server: 'https://[fd00::1]:443',
      caFile: expect.stringMatching(/ca\.crt$/) as unknown,
    });
  });
});

describe('several ways', () => {
  const unknown = { verify: async () => 'unknown' as const, subjectOf: () => undefined };
  it.each([
    [[], 'wrong'],
    [[fixedTokens(() => ['t'])], 'right'],
    [[unknown, fixedTokens(() => ['t'])], 'right'],
    [[unknown, fixedTokens(() => ['x'])], 'unknown'],
  ])('%#', async (checks, verdict) => {
    expect(await anyOf(checks).verify('t')).toBe(verdict);
  });
});
