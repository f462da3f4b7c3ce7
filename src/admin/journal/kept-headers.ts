import { redactHeader } from '../../observe/redact.ts';
import type { KeptRequest } from './kept-request.ts';
import { LIMIT, LOOKED_AT, clip } from './kept-text.ts';

/**
 * Keeps headers until the limit of all of them is reached. Values are redacted before they are cut to what is kept.
 * @param raw names and values in turn, as they came
 */
export function keepHeaders(raw: readonly string[]): Pick<KeptRequest, 'headers' | 'headersOmitted'> {
  const headers: [name: string, value: string][] = [];
  let room: number = LIMIT.allHeaders;
  for (let at = 0; at + 1 < raw.length && room > 0; at += 2) {
    const name = raw[at] ?? '';
    const value = clip(redactHeader(name, raw[at + 1] ?? '', LOOKED_AT * LIMIT.headerValue), LIMIT.headerValue);
    room -= name.length + value.length;
    if (room >= 0) headers.push([clip(name, LIMIT.headerName), value]);
  }
  return { headers, headersOmitted: raw.length / 2 - headers.length };
}
