const AMZ_DATE = /^\d{8}T\d{6}Z$/;

/** Milliseconds since 1970 of a `yyyymmddThhmmssZ`; undefined when it is not one, or names no real moment. */
export function parseAmzDate(text: string): number | undefined {
  if (!AMZ_DATE.test(text)) {
    return undefined;
  }
  const time = Date.parse(
    `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}T${text.slice(9, 11)}:${text.slice(11, 13)}:${text.slice(13, 15)}Z`,
  );
  return Number.isNaN(time) || formatAmzDate(time) !== text ? undefined : time;
}

/** The moment as `yyyymmddThhmmssZ`. */
export function formatAmzDate(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replaceAll('-', '').replaceAll(':', '')}Z`;
}

/** The moment as AWS writes it into error bodies: `2013-05-24T00:00:00Z`. */
export function formatErrorDate(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
