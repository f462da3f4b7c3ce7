const AMZ_DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/**
 * Parses `yyyymmddThhmmssZ` into milliseconds since 1970. Undefined when the text has another form or names no real
 * moment.
 */
export function parseAmzDate(text: string): number | undefined {
  const match = AMZ_DATE.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, year, month, day, hour, minute, second] = match;
  const date = new Date(
    Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)),
  );
  // Date.UTC carries over: it takes 31 June for 1 July.
  const real =
    date.getUTCMonth() + 1 === Number(month) &&
    date.getUTCDate() === Number(day) &&
    date.getUTCHours() === Number(hour) &&
    date.getUTCMinutes() === Number(minute) &&
    date.getUTCSeconds() === Number(second);
  return real ? date.getTime() : undefined;
}

/** The moment as `yyyymmddThhmmssZ`. */
export function formatAmzDate(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replaceAll('-', '').replaceAll(':', '')}Z`;
}

/** The moment as AWS writes it into error bodies: `2013-05-24T00:00:00Z`. */
export function formatErrorDate(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
