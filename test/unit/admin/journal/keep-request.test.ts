import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestMatcher } from '../../../../src/admin/journal/filter.ts';
import { RequestJournal } from '../../../../src/admin/journal/journal.ts';
import { keepRequest } from '../../../../src/admin/journal/keep-request.ts';
import { redactHeader } from '../../../../src/observe/redact.ts';
import type { RequestFacts } from '../../../../src/observe/request-facts.ts';
import '../../../support/property-seed.ts';
import { factsOf, IDENTITY } from '../../../support/observe/request-facts.ts';

const KIB = 1024;
const SLOW_MS = 1000;
/** Of an entry (`LIMIT`): all headers, the value of one; how much of it is looked at. */
const [ALL_HEADERS, VALUE, LOOKED_AT] = [8192, 1024, 2048];

const signature = fc.stringMatching(/^[0-9a-f]{64}$/);
const OPENING = 'AWS4-HMAC-SHA256 Credential=AK/20261121/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=';

/** Some of them secret, some with a secret in them. */
const header = fc.oneof(
  fc.tuple(
    fc.constantFrom('Authorization', 'authorization'),
    fc.oneof(
      fc.tuple(fc.constantFrom(OPENING, 'AWS AK:', 'Bearer '), signature).map((parts) => parts.join('')),
      fc.constantFrom(OPENING, `${OPENING}${'%41'.repeat(21)}x`, `${OPENING}${'Z'.repeat(64)}`, ''),
    ),
  ),
  fc.tuple(fc.constantFrom('Cookie', 'x-amz-security-token', 'x-api-key', 'X-Amz-Meta-Note'), signature),
  fc.tuple(
    fc.constantFrom('User-Agent', 'x-amz-date', 'Referer', 'host', 'x-amz-meta-ü'),
    fc.constantFrom(
      '',
      'aws-sdk-js/3',
      'über\n🦆',
      'https://h/?X-Amz-Signature=0123456789abcdef0123456789abcdef',
      `token=${'s'.repeat(300)}`,
      'long'.repeat(500),
    ),
  ),
  fc.tuple(fc.string({ maxLength: 200 }), fc.string({ unit: 'grapheme', maxLength: 20 })),
);

const clip = (value: string, limit: number): string =>
  value.length <= limit ? value : `${value.slice(0, limit - 1)}…`;

/** Each header redacted and cut, as far as there is room. */
function expectedHeaders(raw: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  const kept: [string, string][] = [];
  let room = ALL_HEADERS;
  for (const [name, value] of raw) {
    const shown = clip(redactHeader(name, value, LOOKED_AT), VALUE);
    room -= name.length + shown.length;
    if (room < 0) break;
    kept.push([clip(name, 128), shown]);
    if (room === 0) break;
  }
  return kept;
}

const journalOf = (maxBytes: number): RequestJournal =>
  new RequestJournal({ maxBytes, slowMs: SLOW_MS, requests: { running: () => [], flush: () => undefined } });

const request = fc.record({
  headers: fc.array(header, { maxLength: 12 }),
  account: fc.constantFrom('main', 'other', 'ünïcode'),
  key: fc.string({ unit: 'grapheme', maxLength: 20 }),
  isSlow: fc.boolean(),
});
type Sent = typeof request extends fc.Arbitrary<infer T> ? T : never;

function factsFrom({ headers, account, key, isSlow }: Sent): RequestFacts {
  const identity = { ...IDENTITY, account: { ...IDENTITY.account, name: account } };
  return factsOf({
    key,
    tookMs: isSlow ? 2 * SLOW_MS : 5,
    head: { rawHeaders: headers.flat() },
    auth: { method: 'header', identity, failure: undefined, signature: undefined },
  });
}

describe('what is kept of requests', () => {
  it('is read from the ring as it was kept, in rooms of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 2, maxLength: 60 }),
        fc.constantFrom(16, 64, 1024),
        async (requests, kib) => {
          const journal = journalOf(kib * KIB);
          const expected = new Map<string, object>();
          for (const sent of requests) {
            const facts = factsFrom(sent);
            journal.ended(facts);
            const alone = keepRequest(facts);
            expect(alone.headers).toEqual(expectedHeaders(sent.headers));
            expect(alone.headersOmitted).toBe(sent.headers.length - alone.headers.length);
            expected.set(facts.head.requestId, alone);
          }
          const { requests: kept } = await journal.scan({ matcher: requestMatcher({}, SLOW_MS), limit: 1000 });
          // Entries without their headers may be all that has room in the smallest.
          const without = kib > 16 ? {} : { headers: [], headersOmitted: 0 };
          for (const one of kept) expect({ ...one, ...without }).toEqual({ ...expected.get(one.id), ...without });
          if (kib === 1024) expect(kept).toHaveLength(requests.length);
          expect(journal.stats.keptBytes).toBeLessThanOrEqual(kib * KIB);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('holds no signature, nor what is secret by its name', () => {
    const journal = journalOf(KIB * KIB);
    const secret = 'ab'.repeat(32);
    const rawHeaders = ['Authorization', `${OPENING}${secret}`, 'Cookie', secret, 'x-amz-security-token', secret];
    const facts = factsOf({ head: { rawHeaders } });
    journal.ended(facts);
    const kept = journal.find(facts.head.requestId);
    const mark = expect.stringMatching(/^<64 chars, sha256 [0-9a-f]{8}>$/) as string;
    expect(kept?.headers).toEqual([
      ['Authorization', expect.stringMatching(/Signature=<64 chars, sha256 [0-9a-f]{8}>$/) as string],
      ['Cookie', mark],
      ['x-amz-security-token', mark],
    ]);
    expect(JSON.stringify(kept)).not.toContain(secret);
  });
});
