import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rule } from './rule.ts';
import { type Headers, World, element } from './world.ts';

/** `T`: sent and true, `F`: sent and false, `-`: not sent. */
type Sent = 'T' | 'F' | '-';
const STATES: readonly Sent[] = ['T', 'F', '-'];

interface Row {
  /** Which of `T`, `F`, `-` this row is about. */
  readonly match: string;
  readonly unmodified: string;
  readonly noneMatch: string;
  readonly modified: string;
  /** The condition that fails; undefined: 200. */
  readonly fails?: string;
}

const ANY = 'TF-';

/** S3's order, one row after the other: together they are all 81 combinations, each once. */
const TABLE: readonly Row[] = [
  { match: 'F', unmodified: ANY, noneMatch: ANY, modified: ANY, fails: 'If-Match' },
  { match: 'T', unmodified: ANY, noneMatch: 'F', modified: ANY, fails: 'If-None-Match' },
  { match: 'T', unmodified: ANY, noneMatch: 'T', modified: ANY },
  { match: 'T', unmodified: ANY, noneMatch: '-', modified: 'F', fails: 'If-Modified-Since' },
  { match: 'T', unmodified: ANY, noneMatch: '-', modified: 'T-' },
  { match: '-', unmodified: 'F', noneMatch: ANY, modified: ANY, fails: 'If-Unmodified-Since' },
  { match: '-', unmodified: 'T-', noneMatch: 'F', modified: ANY, fails: 'If-None-Match' },
  { match: '-', unmodified: 'T-', noneMatch: 'T', modified: ANY },
  { match: '-', unmodified: 'T-', noneMatch: '-', modified: 'F', fails: 'If-Modified-Since' },
  { match: '-', unmodified: 'T-', noneMatch: '-', modified: 'T-' },
];

type Combination = readonly [match: Sent, unmodified: Sent, noneMatch: Sent, modified: Sent];
const COMBINATIONS: readonly Combination[] = STATES.flatMap((match) =>
  STATES.flatMap((unmodified) =>
    STATES.flatMap((noneMatch) => STATES.map((modified) => [match, unmodified, noneMatch, modified] as const)),
  ),
);

function rowsOf([match, unmodified, noneMatch, modified]: Combination): readonly Row[] {
  return TABLE.filter(
    (row) =>
      row.match.includes(match) &&
      row.unmodified.includes(unmodified) &&
      row.noneMatch.includes(noneMatch) &&
      row.modified.includes(modified),
  );
}

let world: World;
let bucket: string;
let source: string;
let upload: string;
let etag: string;
/** Last-Modified of the source. */
let date: string;

beforeAll(async () => {
  world = await World.open();
  bucket = await world.bucket();
  source = `/${bucket}/source`;
  etag = (await world.put(source)).headers['etag'] ?? '';
  date = (await world.must('HEAD', source)).headers['last-modified'] ?? '';
  upload = await world.upload(`/${bucket}/parts`);
});
afterAll(() => world.close());

const DAY = 86_400_000;
const shifted = (by: number): string => new Date(Date.parse(date) + by).toUTCString();

function headersOf([match, unmodified, noneMatch, modified]: Combination): Headers {
  const values: readonly (readonly [string, Sent, string, string])[] = [
    ['match', match, etag, '"other"'],
    ['unmodified-since', unmodified, date, shifted(-1000)],
    ['none-match', noneMatch, '"other"', etag],
    ['modified-since', modified, shifted(-1000), date],
  ];
  return Object.fromEntries(
    values
      .filter(([, sent]) => sent !== '-')
      .map(([name, sent, whenTrue, whenFalse]) => [
        `x-amz-copy-source-if-${name}`,
        sent === 'T' ? whenTrue : whenFalse,
      ]),
  );
}

/** Outcome of both operations with these conditions, and that nothing was copied by one that was refused. */
async function outcomes(headers: Headers): Promise<[copy: string, part: string]> {
  const target = `/${bucket}/copy`;
  await world.must('DELETE', target);
  const results: string[] = [];
  for (const answer of [await world.copy(target, source, headers), await world.copyPart(upload, source, headers)]) {
    results.push(answer.status === 412 ? `${answer.outcome} ${element(answer.body, 'Condition')}` : answer.outcome);
  }
  expect(await world.outcome('GET', target)).toBe(results[0] === '200' ? '200' : '404 NoSuchKey');
  return [results[0] ?? '', results[1] ?? ''];
}

const both = (result: string): [string, string] => [result, result];
const failed = (name: string): [string, string] => both(`412 PreconditionFailed x-amz-copy-source-${name}`);

describe(
  rule(
    ['source.if.table', 'source.if.failed'],
    'all combinations of If-Match, If-Unmodified-Since, If-None-Match, If-Modified-Since',
  ),
  () => {
    test('each is in the table once', () => {
      expect(COMBINATIONS).toHaveLength(81);
      expect(COMBINATIONS.filter((combination) => rowsOf(combination).length !== 1)).toEqual([]);
    });

    test.each(COMBINATIONS)('%s %s %s %s', async (...combination) => {
      const fails = rowsOf(combination)[0]?.fails;
      expect(await outcomes(headersOf(combination))).toEqual(fails === undefined ? both('200') : failed(fails));
    });
  },
);

test(rule('source.if.pair-match', 'If-Match true, If-Unmodified-Since false: copied'), async () => {
  expect(await outcomes(headersOf(['T', 'F', '-', '-']))).toEqual(both('200'));
});

test(rule('source.if.pair-none-match', 'If-None-Match false, If-Modified-Since true: 412'), async () => {
  expect(await outcomes(headersOf(['-', '-', 'F', 'T']))).toEqual(failed('If-None-Match'));
});

describe('values', () => {
  const bare = (): string => etag.replaceAll('"', '');
  const iso = (by: number): string => new Date(Date.parse(date) + by).toISOString();
  const asctime = (): string => {
    const [, day, number, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(date) ?? [];
    return `${day} ${month} ${Number(number) < 10 ? ` ${Number(number)}` : number} ${time} ${year}`;
  };
  const rfc850 = (): string => {
    const [, number, month, year, time] = /^\w+, (\d+) (\w+) \d\d(\d\d) (\S+)/.exec(date) ?? [];
    const weekday = new Date(date).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
    return `${weekday}, ${number}-${month}-${year} ${time} GMT`;
  };

  test.each<[string, string, () => string, string | undefined]>([
    [rule('source.if.etag', 'an ETag without quotes matches'), 'match', bare, undefined],
    [rule('source.if.etag', 'the same as If-None-Match'), 'none-match', bare, 'If-None-Match'],
    [rule('source.if.etag', 'If-Match * matches'), 'match', () => '*', undefined],
    [rule('source.if.etag', 'If-None-Match * never does not'), 'none-match', () => '*', 'If-None-Match'],
    [rule('source.if.etag', 'the ETag without its last character'), 'match', () => bare().slice(0, -1), 'If-Match'],
    [rule('source.if.date', 'its own second is not modified since'), 'modified-since', () => date, 'If-Modified-Since'],
    [rule('source.if.date', 'its own second is unmodified since'), 'unmodified-since', () => date, undefined],
    [rule('source.if.date', 'a second before is not'), 'unmodified-since', () => shifted(-1000), 'If-Unmodified-Since'],
    [rule('source.if.date', 'ISO 8601'), 'unmodified-since', () => iso(-DAY), 'If-Unmodified-Since'],
    [rule('source.if.date', 'ISO 8601 with parts of a second'), 'modified-since', () => iso(999), 'If-Modified-Since'],
    [rule('source.if.date', 'the form of asctime, which is UTC'), 'modified-since', asctime, 'If-Modified-Since'],
    [rule('source.if.date', 'the form of RFC 850'), 'modified-since', rfc850, 'If-Modified-Since'],
    [
      rule('source.if.odd-date', 'no date: ignored as If-Unmodified-Since'),
      'unmodified-since',
      () => 'yesterday 1',
      undefined,
    ],
    [
      rule('source.if.odd-date', 'no date: ignored as If-Modified-Since'),
      'modified-since',
      () => 'yesterday',
      undefined,
    ],
    [rule('source.if.odd-date', 'a number is no date'), 'unmodified-since', () => '1', undefined],
    [rule('source.if.odd-date', 'nothing is no date'), 'unmodified-since', () => '', undefined],
    [
      rule('source.if.future', 'If-Modified-Since tomorrow is ignored'),
      'modified-since',
      () => shifted(DAY),
      undefined,
    ],
    [rule('source.if.date', 'If-Unmodified-Since tomorrow holds'), 'unmodified-since', () => shifted(DAY), undefined],
  ])('%s', async (_title, name, value, fails) => {
    expect(await outcomes({ [`x-amz-copy-source-if-${name}`]: value() })).toEqual(
      fails === undefined ? both('200') : failed(fails),
    );
  });
});
