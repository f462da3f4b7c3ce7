import {
  MARK_CHARS,
  SIGNATURE_CHARS,
  endsWithSignature,
  signatureDigest,
  usualOpening,
} from '../../observe/redact-authorization.ts';
import { asAuthorization, headerTreatment } from '../../observe/redact.ts';
import type { EntryReader } from './entry-reader.ts';
import type { EntryWriter } from './entry-writer.ts';
import { LIMIT, LOOKED_AT, clip } from './kept-text.ts';
import { type RecentTexts, type SharedHeader, ownCopy } from './shared-texts.ts';

/**
 * Writes names and values in turn until the limit of all of them is reached. Values are redacted before they are cut to
 * what is kept.
 * @param raw as they came @returns how many headers did not fit
 */
export function writeHeaders(raw: readonly string[], out: EntryWriter): number {
  let room: number = LIMIT.allHeaders;
  let at = 0;
  for (; at + 1 < raw.length && room > 0; at += 2) {
    const name = raw[at] ?? '';
    const header = out.shared?.header(name);
    const start = out.length;
    writeName(name, header, out);
    room -= name.length + writeValue({ name, value: raw[at + 1] ?? '' }, header, out);
    if (room >= 0) continue;
    out.backTo(start);
    break;
  }
  out.nothing();
  return (raw.length - at) / 2;
}

/** As lines: a name, its value, the next name. */
export function readHeaders(entry: EntryReader): string {
  const lines: string[] = [];
  for (let name = entry.text(); name !== undefined; name = entry.text()) lines.push(name, entry.text() ?? '');
  return lines.join('\n');
}

function writeName(name: string, header: SharedHeader | undefined, out: EntryWriter): void {
  const place = header?.place;
  if (place === undefined) out.text(clip(name, LIMIT.headerName));
  else out.repeated(place);
}

interface Sent {
  readonly name: string;
  readonly value: string;
}

/** @returns how many characters are kept */
function writeValue({ name, value }: Sent, header: SharedHeader | undefined, out: EntryWriter): number {
  if (header === undefined) return writeRedacted(headerTreatment(name)(value, LOOKED_AT * LIMIT.headerValue), out);
  const { treatment, values } = header;
  if (treatment === asAuthorization) return writeAuthorization(value, values, out);
  const place = values.find(value);
  if (place !== undefined) {
    out.repeated(place);
    return value.length;
  }
  const redacted = treatment(value, LOOKED_AT * LIMIT.headerValue);
  // What holds a secret is no longer what was sent.
  if (redacted === value) values.add(value);
  return writeRedacted(redacted, out);
}

function writeRedacted(redacted: string, out: EntryWriter): number {
  const kept = clip(redacted, LIMIT.headerValue);
  out.text(kept);
  return kept.length;
}

/** All of it but the signature is the same in the requests of one client and day. */
function writeAuthorization(value: string, openings: RecentTexts, out: EntryWriter): number {
  const place = openings.findBeginning(value, SIGNATURE_CHARS);
  if (place !== undefined && endsWithSignature(value)) {
    out.signed(place, signatureDigest(value));
    return value.length - SIGNATURE_CHARS + MARK_CHARS;
  }
  const opening = usualOpening(value);
  if (opening !== undefined) openings.add(ownCopy(opening));
  return writeRedacted(asAuthorization(value, LOOKED_AT * LIMIT.headerValue), out);
}
