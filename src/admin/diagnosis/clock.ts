import { claimTime } from './claim.ts';
import type { Subject } from './alteration.ts';
import type { SignatureHint } from './diagnosis.ts';
import { findAlteration, fitsAsSent } from './search.ts';
import type { Probe } from './probe.ts';

const MINUTE = 60_000;
const HALF_HOUR = 30 * MINUTE;
/** Clocks that are right but for their zone differ from a half hour by no more than this. */
const ZONE_TOLERANCE = 2 * MINUTE;

/** A request whose time is too far from ours. */
export function shiftedClock(subject: Subject, probe: Probe, secret: string | undefined): SignatureHint[] {
  const { claim, raw, sources } = subject;
  const time = claimTime(claim) ?? NaN;
  const offset = time - raw.now;
  const clock = `The client's clock is ${distance(offset)} ${offset > 0 ? 'ahead of' : 'behind'} this server's (allowed are ${distance(sources.maxSkewMs)}).`;
  const inZones =
    Math.abs(offset) >= HALF_HOUR && Math.abs(offset - Math.round(offset / HALF_HOUR) * HALF_HOUR) <= ZONE_TOLERANCE;
  const zone = inZones ? ' It is off by whole or half hours: perhaps local time is sent as if it were UTC.' : '';
  if (secret === undefined) return [{ cause: 'shifted-clock', certainty: 'likely', text: `${clock}${zone}` }];
  if (fitsAsSent(subject, probe, secret)) {
    return [{ cause: 'shifted-clock', certainty: 'proved', text: `${clock}${zone} The signature itself is right.` }];
  }
  const further = findAlteration(subject, probe, secret) ?? [];
  return [
    { cause: 'shifted-clock', certainty: 'likely', text: `${clock}${zone} The signature is not right either.` },
    ...further,
  ];
}

/** A presigned URL after its end. */
export function expiredUrl(subject: Subject, probe: Probe, secret: string | undefined): SignatureHint[] {
  const right = secret !== undefined && fitsAsSent(subject, probe, secret);
  const age = distance(subject.raw.now - (claimTime(subject.claim) ?? NaN));
  return [
    {
      cause: 'expired-url',
      certainty: right ? 'proved' : 'likely',
      text: `The URL was made ${age} ago, by the clock of its maker, and was valid for less.${right ? ' Its signature is right.' : ''}`,
    },
    {
      cause: 'shifted-clock',
      certainty: 'possible',
      text: 'If it was made just now, the clock of its maker is behind.',
    },
  ];
}

function distance(ms: number): string {
  const minutes = Math.abs(ms) / MINUTE;
  if (minutes < 2) return `${Math.round(minutes * 60)} s`;
  return minutes < 180 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}
