const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
const DAY = String.raw`(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*`;
const ZONE = String.raw`(?<sign>[+-])(?<zoneHour>\d\d):?(?<zoneMinute>\d\d)`;

/**
 * RFC 9110 5.6.7: the form of today, that of RFC 850, that of asctime; and ISO 8601, which S3 takes as well. UTC where
 * no zone is given.
 */
const FORMS: readonly RegExp[] = [
  new RegExp(String.raw`^${DAY}, (?<day>\d\d?) (?<month>[a-z]{3}) (?<year>\d{4}) ${TIME} (?:gmt|utc|${ZONE})$`, 'i'),
  new RegExp(String.raw`^${DAY}, (?<day>\d\d)-(?<month>[a-z]{3})-(?<year>\d\d) ${TIME} (?:gmt|utc)$`, 'i'),
  new RegExp(String.raw`^${DAY} (?<month>[a-z]{3}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})$`, 'i'),
  new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:t${TIME}(?:\.\d+)?(?:z|${ZONE})?)?$`, 'i'),
];

/**
 * A date as clients write it into condition headers, in milliseconds, cut to the second. `Date.parse` would not
 * do: it makes dates of nearly anything, and takes some of these forms for local time.
 * @returns undefined for what is no date
 */
export function parseHttpDate(text: string): number | undefined {
  for (const form of FORMS) {
    const groups = form.exec(text.trim())?.groups;
    if (groups !== undefined) return momentOf(groups);
  }
  return undefined;
}

function momentOf(groups: Record<string, string | undefined>): number | undefined {
  const { year = '', month = '', day = '', hour = '0', minute = '0', second = '0' } = groups;
  const monthIndex = /\d/.test(month) ? Number(month) - 1 : MONTHS.indexOf(month.toLowerCase());
  const date = new Date(
    Date.UTC(fullYear(year), monthIndex, Number(day), Number(hour), Number(minute), Number(second)),
  );
  // Date.UTC carries: 31 June is 1 July to it.
  const real =
    date.getUTCMonth() === monthIndex &&
    date.getUTCDate() === Number(day) &&
    date.getUTCHours() === Number(hour) &&
    date.getUTCMinutes() === Number(minute) &&
    date.getUTCSeconds() === Number(second);
  return real ? date.getTime() - zoneOffset(groups) : undefined;
}

function zoneOffset({ sign, zoneHour = '0', zoneMinute = '0' }: Record<string, string | undefined>): number {
  return (sign === '-' ? -1 : 1) * (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000;
}

/** Two digits that would be more than 50 years ahead are of the century before (RFC 9110 5.6.7). */
function fullYear(year: string): number {
  if (year.length === 4) return Number(year);
  const now = new Date().getUTCFullYear();
  const guess = now - (now % 100) + Number(year);
  return guess > now + 50 ? guess - 100 : guess;
}

/** `Date.parse` carries: 30 February is 2 March to it. @param text `YYYY-MM-DD` */
export function isCalendarDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
