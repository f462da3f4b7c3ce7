import type { ObjectEvent } from '../../../src/manifest/records/change-intent.ts';

/** What a client asked for. */
export interface AskedChange {
  readonly requestId: string;
  readonly key: string;
  readonly kind: 'created' | 'removed';
  /** Turns of the test's clock. */
  readonly begun: number;
  ended: number;
  isAnswered: boolean;
}

interface Told {
  readonly asked: readonly AskedChange[];
  /** By request: when it changed the bucket's container last. */
  readonly changed: ReadonlyMap<string, number>;
  readonly sent: readonly ObjectEvent[];
}

/** What is wrong with the events that a receiver was sent. */
export function faultsOf({ asked, changed, sent }: Told): string[] {
  const byRequest = Map.groupBy(sent, ({ requestId }) => requestId);
  const lost = asked.filter(({ requestId }) => changed.has(requestId) && !byRequest.has(requestId));
  const invented = [...byRequest.keys()].filter((requestId) => {
    const change = asked.find((one) => one.requestId === requestId);
    return change === undefined || (!changed.has(requestId) && !isShared(change, { asked, changed, sent }));
  });
  return [
    ...lost.map((one) => `lost: ${JSON.stringify(one)}`),
    ...invented.map((requestId) => `invented: ${JSON.stringify(asked.find((one) => one.requestId === requestId))}`),
    ...disordered({ asked, changed, sent }),
  ];
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
 * under way together nobody can tell the order, but by the sequencer.
 */
function disordered({ asked, changed, sent }: Told): string[] {
  const faults: string[] = [];
  const isApart = (first: ObjectEvent, second: ObjectEvent): boolean => {
    const [before, after] = [first, second].map(({ requestId }) => asked.find((one) => one.requestId === requestId));
    return before === undefined || after === undefined || before.ended < after.begun;
  };
  for (const [key, events] of Map.groupBy(sent, (event) => event.key)) {
    const firsts = [...new Map(events.toReversed().map((event) => [event.requestId, event])).values()].reverse();
    for (const [place, later] of firsts.entries()) {
      const before = firsts
        .slice(0, place)
        .find(
          (event) =>
            (changed.get(event.requestId) ?? 0) > (changed.get(later.requestId) ?? Infinity) &&
            event.sequencer > later.sequencer &&
            isApart(later, event),
        );
      if (before !== undefined) faults.push(`disordered: ${before.requestId} of ${key} came before ${later.requestId}`);
    }
  }
  return faults;
}
