import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestMatcher } from '../../../../src/admin/journal/filter.ts';
import { RequestJournal, type RequestSource } from '../../../../src/admin/journal/journal.ts';
import type { KeptRequest } from '../../../../src/admin/journal/kept-request.ts';
import { RepeatedTexts } from '../../../../src/admin/journal/repeated-texts.ts';
import {
  type PackedDocument,
  type PackedReasons,
  explainedReasons,
  unpackReasons,
} from '../../../../src/observe/packed-reasons.ts';
import { ResourceArn } from '../../../../src/observe/resource-arn.ts';
import { factsOf } from '../../../support/observe/request-facts.ts';

const SLOW_MS = 1000;
const NONE: RequestSource = { running: () => [], flush: () => undefined };
const KIB = 1024;

function documentOf(name: string, statements = 20): PackedDocument {
  const names = Array.from({ length: statements }, (_, at) => `A${name}-${String(at)}`);
  return { policy: name, statements: names.join('\u00b6'), said: 'r'.repeat(statements) };
}

function told(document: PackedDocument, more: object = {}): ReturnType<typeof factsOf> {
  const reasons = { resource: new ResourceArn('arn:aws:s3:::bucket/', 'key'), told: { documents: [document] } };
  return factsOf({ authorization: { action: 's3:GetObject', allowed: true, rule: 'bucketPolicy', reasons }, ...more });
}

async function all(journal: RequestJournal): Promise<readonly KeptRequest[]> {
  return (await journal.scan({ matcher: requestMatcher({}, SLOW_MS), limit: 100_000 })).requests;
}

const reasonsOf = ({ authorization }: KeptRequest): unknown =>
  authorization?.reasons && unpackReasons(authorization.reasons);

const journalOf = (maxBytes: number): RequestJournal =>
  new RequestJournal({ maxBytes, slowMs: SLOW_MS, requests: NONE });

describe('what many requests were told alike', () => {
  it('is kept once, and read of each of them', async () => {
    const [journal, plain] = [journalOf(256 * KIB), journalOf(256 * KIB)];
    for (let at = 0; at < 200; at += 1) {
      journal.ended(told(documentOf('shared')));
      plain.ended(factsOf());
    }
    const requests = await all(journal);
    expect(requests).toHaveLength(200);
    const expected = unpackReasons({ resource: 'arn:aws:s3:::bucket/key', documents: [documentOf('shared')] });
    for (const request of requests) expect(reasonsOf(request)).toEqual(expected);
    // Twenty names a request would be more than twice as much.
    expect(journal.stats.keptBytes).toBeLessThan(1.3 * plain.stats.keptBytes);
  });

  it('is read alike, however little of it there is to keep', async () => {
    const journal = journalOf(256 * KIB);
    const [one, another] = [documentOf('one'), documentOf('another')];
    const remedies = [{ document: 'bucket policy', statement: '{}' }];
    const all: Omit<PackedReasons, 'resource'>[] = [
      { told: { documents: [one] } },
      { told: { by: [0, 17], documents: [one] } },
      { told: { documents: [] } },
      { told: { by: [1, 2], documents: [one, another] } },
      { told: { documents: [one], omitted: 3 } },
      { told: { documents: [one] }, remedies },
    ];
    const resources: readonly (readonly [within: string, name?: string])[] = [
      ['arn:aws:s3:::box/', 'a/b'],
      ['arn:aws:s3:::box/a/b'],
      ['arn:aws:s3:::box/', 'a/'],
      ['arn:aws:s3:::other/', 'a/b'],
      ['arn:aws:s3:::bo/', 'a/b'],
      ['arn:aws:s3:::fox/', 'a/b'],
      ['arn:aws:s3:::box'],
      ['arn:aws:s3:::fox'],
      ['arn:aws:s3:::boxy'],
      ['arn:aws:s3:::*'],
    ];
    const cases = resources.flatMap(([within, name]) =>
      all.flatMap((one) => [one, one].map((said) => ({ ...said, resource: new ResourceArn(within, name) }))),
    );
    for (const reasons of cases) {
      for (const key of ['a/b', '', undefined]) {
        const authorization = { action: 's3:GetObject', allowed: true, rule: 'bucketPolicy', reasons } as const;
        const facts = factsOf({ bucket: 'box', key, authorization });
        journal.ended(facts);
        const kept = journal.find(facts.head.requestId);
        expect(kept && reasonsOf(kept)).toEqual(explainedReasons(reasons));
      }
    }
  });

  it('stands with the request where there is no room for it, within the same memory', async () => {
    const journal = journalOf(64 * KIB);
    for (let at = 0; at < 3000; at += 1) journal.ended(told(documentOf(`policy-${String(at)}`)));
    const requests = await all(journal);
    expect(requests.length).toBeGreaterThan(10);
    for (const [at, request] of requests.entries()) {
      expect(reasonsOf(request)).toMatchObject({ looked: [{ policy: `policy-${String(2999 - at)}` }, ...dots(19)] });
    }
    expect(journal.stats.keptBytes).toBeLessThanOrEqual(64 * KIB);
  });

  it('is read right however requests come, and rooms fill', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(12), fc.nat(40), fc.boolean()), { minLength: 50, maxLength: 400 }),
        async (requests) => {
          const journal = journalOf(16 * KIB);
          const expected = new Map<string, unknown>();
          for (const [name, statements, isSlow] of requests) {
            const document = documentOf(`p${String(name)}`, statements + 1);
            const facts = told(document, { tookMs: isSlow ? 2 * SLOW_MS : 5 });
            journal.ended(facts);
            expected.set(
              facts.head.requestId,
              unpackReasons({ resource: 'arn:aws:s3:::bucket/key', documents: [document] }),
            );
          }
          for (const request of await all(journal)) expect(reasonsOf(request)).toEqual(expected.get(request.id));
          expect(journal.stats.keptBytes).toBeLessThanOrEqual(16 * KIB);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is forgotten when no request names it any more, and not before', () => {
    const oldest = [1, 1];
    const size = 2 * 1 + 200;
    const repeated = new RepeatedTexts(2 * size, () => oldest);
    const place = (text: string, ring: number, serial: number): number | undefined => {
      repeated.begin(ring, serial);
      return repeated.keep(text)?.place;
    };
    const [first, second] = [place('a', 0, 1), place('b', 1, 1)];
    expect(repeated.at(first ?? 0)).toBe('a');
    expect([place('a', 0, 2), place('c', 0, 3)]).toEqual([first, undefined]);
    oldest[0] = 3;
    // It is not looked for at every request.
    expect(place('c', 0, 3)).toBeUndefined();
    for (let at = 0; at < 300; at += 1) place('c', 0, 4);
    expect([repeated.at(first ?? 0), repeated.at(second ?? 0)]).toEqual([undefined, 'b']);
    expect(repeated.bytes).toBeLessThanOrEqual(2 * size);
  });

  it('is kept anew by who knew where it was, when it has been forgotten', () => {
    const oldest = [1, 1];
    const repeated = new RepeatedTexts(201 + 1, () => oldest);
    repeated.begin(0, 1);
    const known = repeated.keep('a');
    oldest[0] = 2;
    repeated.begin(0, 2);
    const another = repeated.keep('b');
    expect([repeated.at(known?.place ?? 0), repeated.at(another?.place ?? 0)]).toEqual([undefined, 'b']);
    oldest[0] = 3;
    repeated.begin(0, 3);
    const again = repeated.keep('a', known);
    expect(repeated.at(again?.place ?? 0)).toBe('a');
  });
});

function dots(count: number): unknown[] {
  return Array.from({ length: count }, () => expect.anything() as unknown);
}
