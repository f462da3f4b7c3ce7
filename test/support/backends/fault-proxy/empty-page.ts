import { HmacKey } from '../../../../src/streams/hmac-key.ts';
import { signSharedKey, sharedKeyText } from '../../../../adapters/azure/shared-key.ts';
import type { Service } from './fault.ts';

/** Markers of pages that were emptied: what follows is the marker of the page that should have come, or nothing. */
const MARK = 'empty-page:';
const MARKERS: Readonly<Record<Service, string>> = { azure: 'marker', gcs: 'pageToken' };

/** A page without rows in place of the one that this target asks for. */
export function emptyPage(service: Service, target: string): { type: string; body: string } {
  const given = new URLSearchParams(target.split('?')[1]).get(MARKERS[service]) ?? '';
  const marker = given.startsWith(MARK) ? given : MARK + given;
  if (service === 'gcs') {
    return {
      type: 'application/json; charset=UTF-8',
      body: JSON.stringify({ kind: 'storage#objects', nextPageToken: marker }),
    };
  }
  const blobs = `<Blobs /><NextMarker>${marker.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</NextMarker>`;
  return {
    type: 'application/xml',
    body: `<?xml version="1.0" encoding="utf-8"?><EnumerationResults>${blobs}</EnumerationResults>`,
  };
}

/** The target with the marker that the backend gave, if it has one of ours. */
export function withoutMark(service: Service, target: string): string | undefined {
  const [path = '', search = ''] = target.split('?', 2);
  const query = new URLSearchParams(search);
  const marker = query.get(MARKERS[service]);
  if (marker?.startsWith(MARK) !== true) return undefined;
  if (marker === MARK) query.delete(MARKERS[service]);
  else query.set(MARKERS[service], marker.slice(MARK.length));
  const pairs = [...query].map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${path}?${pairs.join('&')}`;
}

/**
 * The header `authorization` of a bodiless GET to another target: on Azure the account key signs the query, and with it
 * the marker.
 * @param headers names and values in turn
 * @param accountKey Base64; the emulators' is published
 */
export function authorizeAgain(target: string, headers: readonly string[], accountKey: string): string[] {
  const [path = '', search = ''] = target.split('?', 2);
  const ms: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = (headers[i] ?? '').toLowerCase();
    if (name.startsWith('x-ms-')) ms.push(name, headers[i + 1] ?? '');
  }
  const query = [...new URLSearchParams(search)].sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  const account = path.split('/')[1] ?? '';
  const text = sharedKeyText({ call: 'list', method: 'GET', path, query, effect: 'read' }, ms, `/${account}${path}`, 0);
  const proof = `SharedKey ${account}:${signSharedKey(new HmacKey(Buffer.from(accountKey, 'base64')), text)}`;
  return headers.map((value, i) => (i % 2 === 1 && headers[i - 1]?.toLowerCase() === 'authorization' ? proof : value));
}
