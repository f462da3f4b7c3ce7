const SECONDS_A_DAY = 86_400;
const TWO_DIGITS: readonly string[] = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** The day written last: `Date` is the dearest part of a listing, and its entries share their days. */
let lastDay = 0;
let lastDate = '1970-01-01';

/**
 * `2009-10-12T17:50:30.000Z`: S3 always writes the millisecond field, as zeros.
 * @param milliseconds since the epoch
 */
export function xmlDate(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const day = Math.floor(seconds / SECONDS_A_DAY);
  if (day !== lastDay) {
    lastDate = new Date(day * SECONDS_A_DAY * 1000).toISOString().slice(0, -'T00:00:00.000Z'.length);
    lastDay = day;
  }
  const time = seconds - day * SECONDS_A_DAY;
  const minutes = Math.floor(time / 60);
  return `${lastDate}T${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}:${digits(time % 60)}.000Z`;
}

function digits(number: number): string {
  return TWO_DIGITS[number] ?? '';
}
