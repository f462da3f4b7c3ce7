import { describe, expect, it } from 'vitest';
import { Md5Choice } from '../../../../src/protocol/checksums/md5-choice.ts';

const TRIALS = 256;

/** Works with what goes together of four streams. @param costs milliseconds of a block of one stream, by the streams */
function tryOut(costs: (streams: number, run: number) => number) {
  let time = 0;
  const choice = new Md5Choice(() => time);
  const runs: number[] = [];
  for (let run = 0; run < 2 * TRIALS; run += 1) {
    const streams = choice.together(4);
    runs.push(streams);
    choice.run(streams, 1024, () => (time += costs(streams, run) * streams * 1024));
  }
  return { choice, runs };
}

describe('how many streams of MD5 go together', () => {
  it.each([
    { title: 'one vector, where vectors are faster', words: 3, vectors: 2, few: 4, ofMany: [3, 4, 4, 6, 7, 8, 8] },
    { title: 'words, where those are', words: 2, vectors: 3, few: 3, ofMany: [3, 3, 3, 3, 7, 8, 8] },
  ])('$title', ({ words, vectors, few, ofMany }) => {
    const { choice } = tryOut((streams) => (streams === 3 ? words : vectors));
    expect(choice.few).toBe(few);
    expect([3, 4, 5, 6, 7, 8, 16].map((ready) => choice.together(ready))).toEqual(ofMany);
    expect([1, 2].map((ready) => choice.together(ready))).toEqual([1, 2]);
  });

  it('is tried with both in turn, and waits for four meanwhile', () => {
    const { runs } = tryOut(() => 1);
    expect(runs.filter((streams) => streams === 3)).toHaveLength(TRIALS);
    expect(runs.slice(0, 4)).toEqual([3, 4, 3, 4]);
    expect(new Md5Choice().few).toBe(4);
  });

  it.each([
    { title: 'code that is not optimised yet', slow: (run: number) => run < TRIALS },
    { title: 'a processor that others have', slow: (run: number) => run % 50 !== 0 && run % 51 !== 0 },
  ])('does not go by $title', ({ slow }) => {
    const vectorsOnly = tryOut((streams, run) => (streams === 4 ? (slow(run) ? 9 : 2) : 3));
    expect(vectorsOnly.choice.few).toBe(4);
    const wordsOnly = tryOut((streams, run) => (streams === 3 ? (slow(run) ? 9 : 2) : 3));
    expect(wordsOnly.choice.few).toBe(3);
  });

  it('does not go by short calls, nor by other numbers of streams', () => {
    let time = 0;
    const choice = new Md5Choice(() => (time += 1));
    for (let run = 0; run < 3 * TRIALS; run += 1) {
      choice.run(3, 255, () => undefined);
      choice.run(2, 1024, () => undefined);
      choice.run(8, 1024, () => undefined);
    }
    expect(time).toBe(0);
  });
});
