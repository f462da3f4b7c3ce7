import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { type RawAnswer, RawConnection } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { type AttackedGateway, BACKENDS, MEMORY, sideBySide, startOver } from './backends.ts';

/*
 * Keys of any characters that UTF-8 has: each is a key of its own, is found by every operation, and stands in listings
 * by its name and in its place. What is no UTF-8, or longer than a key may be by one byte, is refused.
 */
const point = (...code: number[]): string => String.fromCodePoint(...code);
const CONTROLS = Array.from({ length: 32 }, (_none, code) => `c${point(code)}x`);
const LATER_CONTROLS = Array.from({ length: 34 }, (_none, at) => `c${point(0x7f + at)}`);
const NEARLY_EQUAL = ['\u00e9', 'e\u0301', '\u212b', '\u00c5', 'A\u030a', '\ufb01', 'fi', 'k', 'K', '\u212a', '\u0131'];
const UNSEEN = [
  '\u202ecba',
  'abc',
  '\u2066\u2069',
  '\u200b',
  '\u200d',
  '\u2028',
  '\u2029',
  '\u0085',
  '\ufeff',
  '\ufeffx',
];
const NO_CHARACTERS = ['\ufffd', '\ufffe', '\uffff', '\ufdd0', point(0x1fffe), point(0x10ffff), '\0', '\0\0', 'a\0b'];
const PATHS = [
  '.',
  '..',
  './.',
  'a/../b',
  '/',
  '//',
  '/a',
  'a/',
  'a//b',
  '\\',
  '..\\',
  '?',
  '#',
  '%',
  '%2F',
  '%00',
  '+',
];
const MARKUP = ['&', '<', ']]>', '<![CDATA[', '&#0;', '&amp;', '"', "'", ' ', ' a', 'a ', '\r\n', 'a.', 'CON', 's3gw'];
const LONGEST = [
  'x'.repeat(1024),
  '/'.repeat(1024),
  '.'.repeat(1024),
  '%'.repeat(1024),
  'a/'.repeat(512),
  '\u00e9'.repeat(512),
  `${'\u20ac'.repeat(341)}x`,
  '\ud83d\ude00'.repeat(256),
  `${'\uffff'.repeat(341)}x`,
  `${'\u0001'.repeat(1023)}x`,
];
const KEYS = [
  ...CONTROLS,
  ...LATER_CONTROLS,
  ...NEARLY_EQUAL,
  ...UNSEEN,
  ...NO_CHARACTERS,
  ...PATHS,
  ...MARKUP,
  ...LONGEST,
];
const TOO_LONG = [
  'x'.repeat(1025),
  `${'x'.repeat(1023)}\u00e9`,
  `${'\u20ac'.repeat(341)}\u00e9`,
  `${'\ud83d\ude00'.repeat(255)}\u20acxx`,
];
/** Overlong forms, halves of pairs, what is beyond the last character, halves of characters, escapes that are none. */
const NO_UTF8 = [
  '%c0%af',
  '%e0%80%af',
  '%f0%80%80%af',
  '%ed%a0%80',
  '%ed%a0%80%ed%b0%80',
  '%f4%90%80%80',
  '%ff',
  '%80',
  '%c3',
  '%e2%82',
  '%f0%9f%98',
  '%c3%28',
  '%',
  '%1',
  '%zz',
  '%u0041',
];

/** Every byte that a signer escapes. */
function escaped(key: string): string {
  return encodeURIComponent(key).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Of what keys have here, what XML cannot hold in any form. */
function isNoXml(char: string): boolean {
  return (char < ' ' && !'\t\n\r'.includes(char)) || char === '\ufffe' || char === '\uffff';
}

/** As S3 orders keys: by the bytes of their UTF-8. */
function sorted(keys: readonly string[]): string[] {
  return keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

describe.each(BACKENDS)('over %s', (backend) => {
  let gateway: AttackedGateway;
  // Clouds take their time: every third of what is much the same, and all of the rest.
  const alike = new Set([...CONTROLS, ...LATER_CONTROLS]);
  const keys = KEYS.filter((key, at) => backend === MEMORY || !alike.has(key) || at % 3 === 0);

  async function ask(
    method: string,
    target: string,
    headers: Record<string, string> = {},
    body = '',
  ): Promise<RawAnswer> {
    const connection = await RawConnection.open(gateway.port);
    const all = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
    try {
      connection.send(signedHead({ method, target, headers: all }) + body);
      return await connection.answer(method);
    } finally {
      connection.close();
    }
  }

  beforeAll(async () => {
    gateway = await startOver(backend);
    expect((await ask('PUT', '/keys')).status).toBe(200);
  });
  afterAll(() => gateway.close());

  test('every key is itself for every operation', async () => {
    expect(new Set(keys).size).toBe(keys.length);
    await sideBySide(keys, async (key, at) => {
      const { status } = await ask('PUT', `/keys/${escaped(key)}`, { 'x-amz-meta-at': String(at) }, `body ${at}`);
      expect(status, JSON.stringify(key)).toBe(200);
    });
    await sideBySide(keys, async (key, at) => {
      const target = `/keys/${escaped(key)}`;
      const { status, body, headers } = await ask('GET', target);
      expect([status, body, headers['x-amz-meta-at']], JSON.stringify(key)).toEqual([200, `body ${at}`, String(at)]);
      expect((await ask('HEAD', target)).headers['x-amz-meta-at']).toBe(String(at));
      expect((await ask('GET', `${target}?tagging`)).status).toBe(200);
    });
    await sideBySide(LONGEST, async (key, at) => {
      const copied = await ask('PUT', `/keys/copy-${at}`, { 'x-amz-copy-source': `/keys/${escaped(key)}` });
      expect(outcome(copied), JSON.stringify(key)).toBe('200');
      expect((await ask('DELETE', `/keys/copy-${at}`)).status).toBe(204);
    });
  });

  test.each([1000, 9])('listings have each by its name and in its place, %i on a page', async (size) => {
    const listed: string[] = [];
    let from = '';
    do {
      const { body } = await ask('GET', `/keys?encoding-type=url&list-type=2&max-keys=${size}${from}`);
      for (const [, name = ''] of body.matchAll(/<Key>([^<]*)</g)) listed.push(decodeURIComponent(name));
      const token = /<NextContinuationToken>([^<]*)</.exec(body)?.[1];
      from = token === undefined ? '' : `&continuation-token=${escaped(token)}`;
    } while (from !== '');
    expect(listed).toEqual(sorted(keys));
    const { body } = await ask('GET', `/keys?versions`);
    expect(Array.from(body).filter(isNoXml)).toEqual([]);
    expect([...body.matchAll(/<Key>/g)].length).toBe(keys.length);
  });

  test('what is none is refused everywhere, and nothing is made of it', async () => {
    const before = (await ask('GET', '/keys?versions')).body;
    const refused = /^400 (?:InvalidURI|KeyTooLongError|InvalidArgument)$/;
    await sideBySide([...NO_UTF8, ...TOO_LONG.map(escaped)], async (raw) => {
      for (const method of ['PUT', 'GET', 'DELETE']) {
        expect(outcome(await ask(method, `/keys/${raw}`)), raw).toMatch(refused);
      }
      expect(outcome(await ask('POST', `/keys/${raw}?uploads`)), raw).toMatch(refused);
      const copied = await ask('PUT', '/keys/copy', { 'x-amz-copy-source': `/keys/${raw}` });
      expect(outcome(copied), raw).toMatch(refused);
    });
    expect((await ask('GET', '/keys?versions')).body).toBe(before);
    expect(gateway.failures()).toEqual([]);
  });

  test('each is deleted by itself', async () => {
    await sideBySide(keys, async (key) => {
      expect((await ask('DELETE', `/keys/${escaped(key)}`)).status, JSON.stringify(key)).toBe(204);
    });
    expect((await ask('DELETE', '/keys')).status).toBe(204);
  });
});
