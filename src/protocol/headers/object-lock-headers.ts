import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import { LOCK_MODES, type ObjectLock, type Retention, formatRetainUntil, parseRetainUntil } from '../object-lock.ts';
import type { HeaderReader } from '../request.ts';
import type { ResponseHeaders } from './object-headers.ts';

const MODE = 'x-amz-object-lock-mode';
const RETAIN_UNTIL = 'x-amz-object-lock-retain-until-date';
const LEGAL_HOLD = 'x-amz-object-lock-legal-hold';
export const BYPASS_HEADER = 'x-amz-bypass-governance-retention';

/**
 * The lock that a request gives the object it makes; nothing, when it says nothing.
 * @param now milliseconds since the epoch
 * @throws S3Error InvalidArgument
 */
export function parseLockHeaders(headers: HeaderReader, now: number): ObjectLock {
  const [mode, date, hold] = [headers.get(MODE), headers.get(RETAIN_UNTIL), headers.get(LEGAL_HOLD)];
  const retention = mode === undefined && date === undefined ? undefined : parseRetention(mode, date, now);
  const legalHold = hold === undefined ? undefined : parseLegalHold(hold);
  return { ...(retention !== undefined && { retention }), ...(legalHold !== undefined && { legalHold }) };
}

function parseRetention(value: string | undefined, date: string | undefined, now: number): Retention {
  if (value === undefined || date === undefined) {
    throw new S3Error('InvalidArgument', {
      message: `${RETAIN_UNTIL} and ${MODE} must both be supplied`,
      extra: { ArgumentName: value === undefined ? MODE : RETAIN_UNTIL },
    });
  }
  const mode = LOCK_MODES.find((known) => known === value);
  if (mode === undefined) throw invalidArgument(MODE, value, 'Unknown wormMode directive.');
  const until = parseRetainUntil(date);
  if (until === undefined) {
    throw invalidArgument(RETAIN_UNTIL, date, 'The retain until date must be provided in ISO 8601 format');
  }
  requireFuture(until, now, { name: RETAIN_UNTIL, value: date });
  return { mode, until };
}

/** @throws S3Error InvalidArgument */
export function requireFuture(
  until: number,
  now: number,
  { name, value }: { readonly name: string; readonly value: string },
): void {
  if (until <= now) throw invalidArgument(name, value, 'The retain until date must be in the future!');
}

function parseLegalHold(value: string): boolean {
  if (value !== 'ON' && value !== 'OFF') {
    throw invalidArgument(LEGAL_HOLD, value, "Legal Hold must be either of 'ON' or 'OFF'");
  }
  return value === 'ON';
}

/** What GetObject and HeadObject say about the lock of a version. */
export function lockHeaders({ retention, legalHold }: ObjectLock): ResponseHeaders {
  return {
    ...(retention !== undefined && { [MODE]: retention.mode, [RETAIN_UNTIL]: formatRetainUntil(retention) }),
    ...(legalHold !== undefined && { [LEGAL_HOLD]: legalHold ? 'ON' : 'OFF' }),
  };
}
