import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../../adapters/doubles/faults.ts';
import { OWNER } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { UploadFixture, codeOf, multipartEtag } from '../upload-fixture.ts';

/*
 * Two faults in one Complete, at any two of its calls, those behind its answer too; and between them whatever another
 * replica does with the same upload or key. The records of the parts take two batches, of which the last one takes
 * along the blob that was settled.
 */
const TEXTS = ['one,', 'two,', 'end'];
const WHOLE = TEXTS.join('');
const ETAG = multipartEtag(...TEXTS);
const MOST_CALLS = 60;
/** Calls between the two. */
const NEAR = 8;

const FAULTS: readonly Fault[] = [
  { kind: 'fail' },
  { kind: 'loseAnswer' },
  { kind: 'loseRequest' },
  { kind: 'removeSome' },
];

type Started = Awaited<ReturnType<UploadFixture['started']>>;

/** What another replica does meanwhile, and what the key may hold after it, beside what it would hold anyway. */
const OTHERS: Readonly<
  Record<
    string,
    {
      readonly act: (fixture: UploadFixture, started: Started) => Promise<unknown>;
      readonly left: readonly (string | undefined)[];
    }
  >
> = {
  nothing: { act: async () => undefined, left: [] },
  'the same Complete': {
    act: (fixture, { target, parts }) => codeOf(fixture.complete(target, parts)),
    left: [],
  },
  'an Abort': { act: (fixture, { target }) => codeOf(fixture.uploads.abort(target, testCall())), left: [] },
  'a PUT of the key': { act: (fixture) => codeOf(fixture.put('k', 'new')), left: ['new'] },
  'a DELETE of the key': {
    act: (fixture) =>
      codeOf(
        fixture.objects.remove({ bucket: fixture.bucket, key: 'k' }, { ownerId: OWNER, conditions: {} }, testCall()),
      ),
    left: [undefined],
  },
};

interface Run {
  readonly first: readonly [at: number, fault: Fault];
  readonly second: readonly [at: number, fault: Fault];
  readonly other: string;
}

/** @returns calls that were made in all */
async function run({ first, second, other }: Run): Promise<number> {
  const fixture = await UploadFixture.open({ capabilities: { maxBatch: 2 } });
  await fixture.put('k', 'old');
  const started = await fixture.started('k', ...TEXTS);
  const { target, parts } = started;
  const rest = OTHERS[other] ?? OTHERS['nothing'];
  let count = 0;
  let acts = false;
  fixture.plan = (): Fault | undefined => {
    if (acts) return undefined;
    count += 1;
    if (count === first[0]) return first[1];
    if (count === second[0]) return second[1];
    if (count !== first[0] + 1 || rest === undefined) return undefined;
    const before = async (): Promise<void> => {
      acts = true;
      await rest.act(fixture, started);
      acts = false;
    };
    return { kind: 'interleave', before };
  };
  const heard = await codeOf(fixture.complete(target, parts));
  await fixture.idle();
  // The client sends it again, which may meet the second fault.
  const told = heard === 'ok' ? heard : await codeOf(fixture.complete(target, parts));
  await fixture.idle();
  fixture.plan = () => undefined;
  const where = JSON.stringify({ first, second, other, told });
  const text = await fixture.text('k');
  const mayHold = ['old', WHOLE, ...(rest?.left ?? [])];
  expect(mayHold, where).toContain(text);
  if (told === 'ok' && other !== 'a PUT of the key' && other !== 'a DELETE of the key') expect(text, where).toBe(WHOLE);
  const again = await codeOf(fixture.complete(target, parts).then(({ etag }) => expect(etag).toBe(ETAG)));
  expect(other === 'an Abort' && told !== 'ok' ? ['ok', 'NoSuchUpload'] : ['ok'], where).toContain(again);
  await fixture.idle();
  // What was answered takes effect once: nothing comes back over what is newer.
  const last = await fixture.text('k');
  if (told === 'ok' || text === WHOLE) expect(last, where).toBe(text);
  expect(mayHold, where).toContain(last);
  expect(await fixture.names('u/'), where).toEqual([]);
  return count;
}

describe.each(Object.keys(OTHERS))('two faults in a Complete, and between them %s', (other) => {
  it.each(FAULTS.flatMap((one) => FAULTS.map((two) => [one.kind, two.kind, one, two] as const)))(
    '%s, then %s',
    { timeout: 120_000 },
    async (_one, _two, one, two) => {
      let reached = true;
      for (let at = 1; reached; at += 1) {
        expect(at).toBeLessThan(MOST_CALLS);
        reached = false;
        for (let then = at + 1; then <= at + NEAR; then += 1) {
          const made = await run({ first: [at, one], second: [then, two], other });
          if (made >= at) reached = true;
          if (made < then) break;
        }
      }
    },
  );
});
