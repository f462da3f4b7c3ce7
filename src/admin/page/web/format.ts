const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1.5 MiB`; whole numbers below 1 KiB. */
export function formatBytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[unit] ?? ''}`;
}

/** Milliseconds as a person reads them: `0.4 ms`, `12 ms`, `3.2 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const TIME_OF_DAY = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** Time of day, with milliseconds, in the zone of the reader. */
export function formatTime(epochMs: number): string {
  return TIME_OF_DAY.format(epochMs);
}

export function formatDate(epochMs: number): string {
  return DATE.format(epochMs);
}

/** Without the time of day. */
export function formatDay(epochMs: number): string {
  return DAY.format(epochMs);
}

const MINUTE_OF_DAY = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** Time of day without seconds. */
export function formatMinute(epochMs: number): string {
  return MINUTE_OF_DAY.format(epochMs);
}

/** `950`, `12.3k`, `4.6M`: room is small. */
export function formatCount(count: number): string {
  if (count < 10_000) return count.toLocaleString();
  return count < 1e6 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`;
}

/** `12.3%`; a share of nothing is nothing. */
export function formatShare(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent.toFixed(percent < 0.1 ? 2 : 1)}%`;
}

/** For machines and tooltips. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

/** For `<input type="datetime-local">`: the reader's time, to the second. */
export function localInputText(epochMs: number): string {
  const offsetMs = new Date(epochMs).getTimezoneOffset() * 60_000;
  return new Date(epochMs - offsetMs).toISOString().slice(0, 19);
}

/** The other way round. @returns milliseconds since the epoch; undefined: it is no time */
export function timeOfLocalInput(text: string): number | undefined {
  const time = new Date(text).getTime();
  return Number.isNaN(time) ? undefined : time;
}
