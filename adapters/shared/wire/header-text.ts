import type { WireHeaders } from './transport.ts';

/** A header's value, one character a byte; undefined when it is absent or empty. */
export function headerText(headers: WireHeaders, name: string): string | undefined {
  const value = headers[name];
  if (value === undefined || value === '') return undefined;
  return typeof value === 'string' ? value : value.join(', ');
}

/** A header's value as a number, e.g. the seconds of `Retry-After`; undefined when it is absent or something else. */
export function headerNumber(headers: WireHeaders, name: string): number | undefined {
  const value = Number(headerText(headers, name));
  return Number.isFinite(value) ? value : undefined;
}
