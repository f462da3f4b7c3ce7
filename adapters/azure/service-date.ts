/** The day read last, with the space behind it: blobs of a listing share their days. */
let lastDay = '';
let lastMidnight = Number.NaN;

const HOURS = 'Sun, 06 Nov 1994 '.length;
const MINUTES = HOURS + 3;
const SECONDS = MINUTES + 3;
const ZONE = SECONDS + 2;
const COLON = 0x3a;

/** A date as the service writes it (RFC 1123), in milliseconds; any other as `Date.parse` reads it. */
export function parseServiceDate(text: string): number {
  if (text.charCodeAt(MINUTES - 1) !== COLON || text.charCodeAt(SECONDS - 1) !== COLON || text.slice(ZONE) !== ' GMT') {
    return Date.parse(text);
  }
  const hours = twoDigits(text, HOURS);
  const minutes = twoDigits(text, MINUTES);
  const seconds = twoDigits(text, SECONDS);
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return Date.parse(text);
  const day = text.slice(0, HOURS);
  if (day !== lastDay) {
    lastMidnight = Date.parse(`${day}00:00:00 GMT`);
    lastDay = day;
  }
  return lastMidnight + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** NaN when they are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

const ZERO = 0x30;
