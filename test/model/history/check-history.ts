import { checkKey, type CheckOptions } from './check-key.ts';
import { type VersionsListing, currentInListing, wrongInListing } from './check-listing.ts';
import type { Event } from './event.ts';

interface History {
  readonly events: readonly Event[];
  readonly listings: readonly VersionsListing[];
}

interface HistoryVerdict {
  readonly wrong: readonly string[];
  /** Keys that could not be decided within the budget. */
  readonly undecided: readonly string[];
}

/** Checks each key by itself; events of buckets are to be given for every key of them. */
export function checkHistory(
  { events, listings }: History,
  options: Omit<CheckOptions, 'sightings'> = {},
): HistoryVerdict {
  const wrong: string[] = [];
  const undecided: string[] = [];
  for (const key of new Set([...events, ...listings].map((item) => item.key))) {
    const own = events.filter((event) => event.key === key);
    const lists = listings.filter((listing) => listing.key === key);
    wrong.push(...lists.flatMap((listing) => wrongInListing(own, listing) ?? []));
    const sightings = lists.flatMap(({ versions, ended }) =>
      versions.map(({ versionId, marker, writers = [] }) => ({
        versionId,
        writers: marker ? undefined : writers,
        ended,
      })),
    );
    const verdict = checkKey([...own, ...lists.map(currentInListing)], { ...options, sightings });
    if (verdict.kind === 'wrong') wrong.push(`${key}: ${verdict.why}`);
    if (verdict.kind === 'undecided') undecided.push(`${key}: ${verdict.why}`);
  }
  return { wrong, undecided };
}
