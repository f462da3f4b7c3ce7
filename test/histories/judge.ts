import { createHash } from 'node:crypto';
import { checkHistory } from '../model/history/check-history.ts';
import type { VersionsListing } from '../model/history/check-listing.ts';
import type { Event, Mode } from '../model/history/event.ts';
import type { Recorded } from './client.ts';
import type { Episode } from './episodes.ts';
import { eventsOf } from './events.ts';
import { listingsOf, wholeHistories } from './listings.ts';
import type { Versioning } from './workload.ts';

const MODES: Readonly<Record<Versioning, Mode>> = { never: 'never', Enabled: 'enabled', Suspended: 'suspended' };

interface Judgement {
  readonly wrong: readonly string[];
  /** Keys whose search took more states than it may. */
  readonly undecided: readonly string[];
  readonly keys: number;
}

/** What everybody was told, against what a service with one order of events could have told. */
export function judge(episodes: readonly Episode[], recorded: readonly Recorded[]): Judgement {
  const wrong: string[] = [];
  const undecided: string[] = [];
  let keys = 0;
  for (const { bucket, versioning, stories } of episodes) {
    const ofBucket = recorded.filter((one) => one.bucket === bucket);
    for (const { key } of stories) {
      keys += 1;
      const own = ofBucket.filter(
        ({ call }) => ('key' in call ? call.key : 'prefix' in call ? call.prefix : undefined) === key,
      );
      const history = historyOf(own, MODES[versioning]);
      const verdict = checkHistory(history);
      wrong.push(...[...verdict.wrong, ...tornBytes(own)].map((why) => `${bucket} (${versioning}) ${why}`));
      undecided.push(...verdict.undecided.map((why) => `${bucket} (${versioning}) ${why}`));
    }
  }
  return { wrong: [...wrong, ...recorded.flatMap(failure), ...recorded.flatMap(unreadable)], undecided, keys };
}

function historyOf(recorded: readonly Recorded[], mode: Mode): { events: Event[]; listings: VersionsListing[] } {
  return { events: [...eventsOf(recorded, mode), ...wholeHistories(recorded)], listings: listingsOf(recorded) };
}

/** A fault of the gateway, whatever has happened behind it: nothing that these clients send deserves it. */
function failure({ bucket, call, answer }: Recorded): string[] {
  if (answer === undefined || answer.status < 500 || answer.status === 503) return [];
  return [`${bucket}: ${JSON.stringify(call).slice(0, 120)} -> ${answer.status} ${answer.code ?? ''}`];
}

/** When nothing goes wrong any more, everything can be read. */
function unreadable({ bucket, call, answer, atRest }: Recorded): string[] {
  if (atRest === undefined || [200, 404, 405].includes(answer?.status ?? 0)) return [];
  const said = answer === undefined ? 'no answer' : `${answer.status} ${answer.code ?? ''}`;
  return [`${bucket}: at rest ${JSON.stringify(call)} -> ${said}`];
}

/** Whoever reads bytes reads those that somebody wrote, whole. */
function tornBytes(recorded: readonly Recorded[]): string[] {
  const written = new Set(
    recorded.flatMap(({ call }) => (call.op === 'PutObject' || call.op === 'UploadPart' ? [digest(call.body)] : [])),
  );
  return recorded.flatMap(({ call, answer }) => {
    if (
      call.op !== 'GetObject' ||
      answer?.status !== 200 ||
      typeof answer.body !== 'string' ||
      written.has(digest(answer.body))
    ) {
      return [];
    }
    return [`${call.key}: a GET shows bytes that nobody wrote: ${answer.body.slice(0, 80)}`];
  });
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
