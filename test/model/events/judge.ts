import type { ObjectEvent } from '../../../src/manifest/records/change-intent.ts';

/** What a client asked for. */
export interface AskedChange {
  readonly requestId: string;
  readonly key: string;
  readonly kind: 'created' | 'removed' | 'described';
  /** Turns of the test's clock. */
  readonly begun: number;
  ended: number;
  isAnswered: boolean;
}

interface Told {
  readonly asked: readonly AskedChange[];
  /** By request: when it changed the bucket's container last. */
  readonly changed: ReadonlyMap<string, number>;
  /** By request: it changed a version's own blob. */
  readonly described: ReadonlySet<string>;
  readonly sent: readonly ObjectEvent[];
}

/** What is wrong with the events that a receiver was sent. */
export function faultsOf(told: Told): string[] {
  const { asked, changed, sent } = told;
  const byRequest = Map.groupBy(sent, ({ requestId }) => requestId);
  const lost = asked.filter(
    (one) => changed.has(one.requestId) && !byRequest.has(one.requestId) && !mayBeForgotten(one, told),
  );
  const invented = [...byRequest.keys()].filter((requestId) => {
    const change = asked.find((one) => one.requestId === requestId);
    return change === undefined || (!changed.has(requestId) && !isShared(change, told));
  });
  return [
    ...lost.map((one) => `lost: ${JSON.stringify(one)}`),
    ...invented.map((requestId) => `invented: ${JSON.stringify(asked.find((one) => one.requestId === requestId))}`),
    ...disordered(told),
    ...misnumbered(told),
  ];
}

/**
 * What was said of a version, and never answered, is proven by the version's own blob alone. That may be removed before
 * anybody has looked.
 */
function mayBeForgotten({ requestId, key, isAnswered, begun }: AskedChange, { asked, described }: Told): boolean {
  if (isAnswered || !described.has(requestId)) return false;
  return asked.some((other) => other.kind !== 'described' && other.key === key && other.ended >= begun);
}

/** Of removals of one key at one time, one removes, and the others find that done: S3 has an event for each. */
function isShared({ key, kind, begun, ended }: AskedChange, { asked, changed }: Told): boolean {
  if (kind !== 'removed') return false;
  return asked.some(
    (other) =>
      other.kind === 'removed' &&
      other.key === key &&
      changed.has(other.requestId) &&
      other.begun <= ended &&
      other.ended >= begun,
  );
}

/**
 * Events of a key, where each is sent for the first time, come in the order in which the changes were made, or in that
 * of their sequencers: a version that was overtaken is committed behind one that comes after it. Of changes that were
 * under way together nobody can tell the order, but by the sequencer. What is said of a version comes after the
 * version; S3 gives it no place among the changes of others.
 */
function disordered({ asked, changed, described, sent }: Told): string[] {
  const faults: string[] = [];
  const isApart = (first: ObjectEvent, second: ObjectEvent): boolean => {
    const [before, after] = [first, second].map(({ requestId }) => asked.find((one) => one.requestId === requestId));
    return before === undefined || after === undefined || before.ended < after.begun;
  };
  for (const [key, events] of Map.groupBy(sent, (event) => event.key)) {
    const firsts = events.filter((event, at) => events.findIndex((one) => one.requestId === event.requestId) === at);
    for (const [place, later] of firsts.entries()) {
      const before = firsts.slice(0, place).find(
        (event) =>
          // A removal that another one was faster than has its place by the sequencer alone.
          (changed.get(event.requestId) ?? 0) > (changed.get(later.requestId) ?? -1) &&
          event.sequencer > later.sequencer &&
          (event.versionId === later.versionId || ![event, later].some(({ requestId }) => described.has(requestId))) &&
          isApart(later, event),
      );
      if (before !== undefined) faults.push(`disordered: ${before.requestId} of ${key} came before ${later.requestId}`);
    }
  }
  return faults;
}

/**
 * A change that was answered before another one of its key began has the lower sequencer. Not so of what removes an
 * object: the head may stand where it did before. And not where a change without an answer came in between: it has the
 * place that it took when it began.
 */
function misnumbered({ asked, changed, sent }: Told): string[] {
  const madeAt = ({ requestId }: AskedChange): number => changed.get(requestId) ?? NaN;
  const placed = sent.flatMap(({ name, requestId, sequencer }) => {
    const change = asked.find((one) => one.requestId === requestId);
    const hasPlace = name.startsWith('ObjectCreated:') || name === 'ObjectRemoved:DeleteMarkerCreated';
    // Two processes, and a removal between, can make two changes in one millisecond of the clock.
    const ms = Math.floor(Number(`0x${sequencer}`) / 1000);
    return change === undefined || !hasPlace ? [] : [{ ...change, ms }];
  });
  return placed.flatMap((later) => {
    const late = asked.filter((one) => one.key === later.key && !one.isAnswered && madeAt(one) < madeAt(later));
    const before = placed.find(
      (one) =>
        one.key === later.key &&
        one.ended < later.begun &&
        one.ms > later.ms &&
        !late.some((other) => madeAt(other) > madeAt(one)),
    );
    return before === undefined ? [] : [`misnumbered: ${JSON.stringify([before, later])}`];
  });
}
