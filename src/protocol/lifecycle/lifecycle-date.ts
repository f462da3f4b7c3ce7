import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import { isCalendarDay } from '../http-date.ts';

export const DAY_MS = 86_400_000;

const ISO_8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * `Date` of a rule: a day, or a moment of ISO 8601 that is a midnight in UTC. A moment without a zone is one in UTC.
 * @returns milliseconds since the epoch @throws S3Error MalformedXML, InvalidArgument
 */
export function dateAtMidnight(text: string): number {
  const said = text.trim();
  const isLocal = said.length > 10 && !/(?:Z|[+-]\d\d:?\d\d)$/.test(said);
  const time = ISO_8601.test(said) && isCalendarDay(said.slice(0, 10)) ? Date.parse(isLocal ? `${said}Z` : said) : NaN;
  if (Number.isNaN(time)) throw new S3Error('MalformedXML');
  if (time % DAY_MS !== 0) throw invalidArgument('Date', said, "'Date' must be at midnight GMT");
  return time;
}
