import type { ToldEvent } from './receiver.ts';

/** A request of a client, one key of it. */
export interface AskedChange {
  readonly bucket: string;
  readonly key: string;
  /** Of the answer; undefined: there was none. */
  readonly requestId: string | undefined;
  /**
   * `told`: it was made, and has an event; `untold`: it need not have one; `refused`: it was not made; `perhaps`:
   * nobody knows.
   */
  readonly outcome: 'told' | 'untold' | 'refused' | 'perhaps';
  readonly what: string;
  /** Milliseconds of one clock. */
  readonly began: number;
  readonly ended: number;
}

interface Verdict {
  readonly lost: readonly string[];
  readonly invented: readonly string[];
  readonly disordered: readonly string[];
  /** Deliveries beyond the first of each event. */
  readonly repeated: number;
}

const UNORDERED = /^Object(?:Tagging|Acl):/;

/** What is wrong with the events that a receiver has taken. */
export function judge(asked: readonly AskedChange[], told: readonly ToldEvent[]): Verdict {
  const known = new Set(told.map(nameOf));
  const byName = new Map(
    asked.flatMap((change) =>
      change.requestId === undefined ? [] : [[nameIn(change.bucket, change.key, change.requestId), change] as const],
    ),
  );
  const lost = [...byName].filter(([name, { outcome }]) => outcome === 'told' && !known.has(name));
  return {
    lost: lost.map(([, change]) => JSON.stringify(change)),
    invented: inventedOf(asked, told, byName),
    disordered: disorderedOf(told, byName),
    repeated: told.length - known.size,
  };
}

/** Events of requests that were refused; and more of those without an answer than there were such requests. */
function inventedOf(
  asked: readonly AskedChange[],
  told: readonly ToldEvent[],
  byName: ReadonlyMap<string, AskedChange>,
): string[] {
  const refused = told.filter((event) => byName.get(nameOf(event))?.outcome === 'refused');
  const silent = Map.groupBy(
    asked.filter(({ requestId }) => requestId === undefined),
    ({ bucket, key }) => `${bucket}/${key}`,
  );
  const strangers = Map.groupBy(
    [...new Set(told.map(nameOf))].filter((name) => !byName.has(name)),
    (name) => name.slice(0, name.lastIndexOf(' ')),
  );
  const tooMany = [...strangers].filter(([place, names]) => names.length > (silent.get(place)?.length ?? 0));
  return [
    ...refused.map((event) => `refused: ${JSON.stringify(event)}`),
    ...tooMany.map(([place, names]) => `${names.length} events of ${place} that nobody asked for: ${names.join(', ')}`),
  ];
}

/** First deliveries of a key against their sequencers, unless both changes were under way at once. */
function disorderedOf(told: readonly ToldEvent[], byName: ReadonlyMap<string, AskedChange>): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  const firsts = told.filter((event) => {
    const name = nameOf(event);
    const isFirst = !seen.has(name) && !UNORDERED.test(event.eventName);
    seen.add(name);
    return isFirst;
  });
  for (const events of Map.groupBy(firsts, placeOf).values()) {
    let last: ToldEvent | undefined;
    for (const event of events) {
      if (last !== undefined && sequencerOf(event) < sequencerOf(last) && areApart(event, last, byName)) {
        faults.push(`${JSON.stringify(last)} came before ${JSON.stringify(event)}`);
      }
      if (last === undefined || sequencerOf(event) > sequencerOf(last)) last = event;
    }
  }
  return faults;
}

function areApart(earlier: ToldEvent, later: ToldEvent, byName: ReadonlyMap<string, AskedChange>): boolean {
  const [before, after] = [earlier, later].map((event) => byName.get(nameOf(event)));
  // What was not answered may come to pass at any time.
  if (before === undefined || after === undefined || before.outcome === 'perhaps') return false;
  return before.ended < after.began;
}

/** Compared as text, the shorter one as if zeros followed. */
function sequencerOf({ s3 }: ToldEvent): string {
  return (s3.object.sequencer ?? '').padEnd(64, '0');
}

function placeOf({ s3 }: ToldEvent): string {
  return `${s3.bucket.name}/${decodeURIComponent(s3.object.key.replaceAll('+', ' '))}`;
}

function nameOf(event: ToldEvent): string {
  return `${placeOf(event)} ${event.responseElements['x-amz-request-id']}`;
}

function nameIn(bucket: string, key: string, requestId: string): string {
  return `${bucket}/${key} ${requestId}`;
}
