import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ReplicaState } from '../../../../src/admin/inspector/contract.ts';
import { liveStream } from '../../../../src/admin/inspector/live-stream.ts';
import { OwnRequests } from '../../../../src/admin/inspector/own-requests.ts';
import { StreamRate } from '../../../../src/admin/inspector/stream-rate.ts';
import { ownEvents } from '../../../../src/admin/inspector/stream-sources.ts';
import { requestMatcher } from '../../../../src/admin/journal/filter.ts';
import { RequestJournal } from '../../../../src/admin/journal/journal.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import { factsOf } from '../../../support/observe/request-facts.ts';

const SLOW_MS = 1000;
const ALL = { matcher: requestMatcher({}, SLOW_MS), texts: {}, scope: 'own' } as const;

function scene(): {
  readonly journal: RequestJournal;
  readonly own: OwnRequests;
  readonly open: (sent: Buffer[], rate?: StreamRate) => AbortController;
} {
  const journal = new RequestJournal({
    maxBytes: 256 * 1024,
    slowMs: SLOW_MS,
    requests: { running: () => [], flush: () => undefined },
  });
  const own = new OwnRequests(
    journal,
    () => ({ id: 'one' }) as ReplicaState,
    () => false,
  );
  const selection = ALL;
  const open = (sent: Buffer[], rate?: StreamRate): AbortController => {
    const ended = new AbortController();
    ownEvents(own, { ...selection, recent: 0, rate })(
      () => undefined,
      ended.signal,
      (event) => sent.push(event),
    );
    return ended;
  };
  return { journal, own, open };
}

describe('events of several streams', () => {
  it('are written once: all of them send the same bytes', async () => {
    const { journal, open } = scene();
    const streams = Array.from({ length: 64 }, (): Buffer[] => []);
    for (const sent of streams) open(sent);
    await new Promise(setImmediate);
    const facts = [factsOf(), factsOf()];
    for (const one of facts) {
      journal.begun(one);
      journal.ended(one);
    }
    const [first = []] = streams;
    expect(first.map((event) => event.toString().split('\n')[0])).toEqual([
      'event: started',
      'event: finished',
      'event: started',
      'event: finished',
    ]);
    expect(first[3]?.toString()).toContain(facts[1]?.head.requestId);
    for (const sent of streams) {
      expect(sent).toHaveLength(4);
      for (const [index, event] of sent.entries()) expect(event).toBe(first[index]);
    }
  });

  it('are those of so many requests a second: both of each, and the others are counted', async () => {
    const { journal, open } = scene();
    const sent: Buffer[] = [];
    const rate = new StreamRate(10, () => 0);
    open(sent, rate);
    await new Promise(setImmediate);
    for (let count = 0; count < 100; count += 1) {
      const facts = count % 10 === 0 ? factsOf({ status: 500, failure: new S3Error('InternalError') }) : factsOf();
      journal.begun(facts);
      journal.ended(facts);
    }
    const told = sent.map((event) => event.toString());
    const starts = told.filter((text) => text.startsWith('event: started'));
    const ends = told.filter((text) => text.startsWith('event: finished'));
    expect(starts).toHaveLength(10);
    // Of the failures one came while there was room for all; the other nine have room of their own.
    expect([ends.length, ends.filter((text) => text.includes('serverError')).length]).toEqual([19, 10]);
    expect([rate.takeLeftOut(), rate.takeLeftOut()]).toEqual([81, 0]);
  });

  it('that come together go out in one write', async () => {
    const { journal, own } = scene();
    const source = ownEvents(own, { ...ALL, recent: 0, rate: undefined });
    const stream = liveStream({
      replica: 'one',
      source,
      heartbeat: (send) => send('replica', { id: 'one' } as ReplicaState),
    });
    await once(stream, 'data');
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    for (let count = 0; count < 100; count += 1) {
      journal.ended(factsOf());
      if (count % 10 === 0) await new Promise(setImmediate);
    }
    await expect
      .poll(() => Buffer.concat(pieces).toString().split('event: finished').length - 1, { timeout: 30_000 })
      .toBe(100);
    expect(pieces.length).toBeLessThan(20);
    stream.destroy();
  });
});
