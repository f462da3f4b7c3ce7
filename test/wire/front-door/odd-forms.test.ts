import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../support/random.ts';
import { propertySeed } from '../../support/property-seed.ts';
import { type Fields, signedV4 } from '../../support/clients/post-form.ts';
import { type RawAnswer, RawConnection } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';
import { type AttackedGateway, BACKENDS, MEMORY, sideBySide, startOver } from './backends.ts';

/*
 * Forms as no browser sends them: boundaries, charsets and headers of parts of every kind, fields twice, forms within
 * forms, ends that are none, bytes altered and cuts anywhere. Each is answered, and never as the gateway's own failure.
 * What is answered as stored is there, and nothing else is.
 */
const BOUNDARIES = ['AaB03x', '-', '----', 'a b', "a'b", 'x'.repeat(70), 'x'.repeat(252), 'x'.repeat(3000), '\u00e9'];
const TYPES: readonly ((boundary: string) => string)[] = [
  (boundary) => `multipart/form-data; boundary="${boundary}"`,
  (boundary) => `MULTIPART/FORM-DATA;BOUNDARY=${boundary}`,
  (boundary) => `multipart/form-data; charset=utf-16; boundary=${boundary}`,
  (boundary) => `multipart/form-data; boundary=${boundary}; boundary=other`,
  (boundary) => `multipart/form-data; boundary*=utf-8''${boundary}`,
  (boundary) => `multipart/form-data; charset="x; boundary=${boundary}`,
  (boundary) => `multipart/form-data; ${'a=b; '.repeat(200)}boundary=${boundary}`,
  (boundary) => `multipart/mixed; boundary=${boundary}`,
  () => 'multipart/form-data',
  () => 'multipart/form-data; boundary=""',
];
const DISPOSITIONS: readonly ((name: string) => string)[] = [
  (name) => `form-data; NAME=${name}`,
  (name) => `form-data; name="other"; name="${name}"`,
  (name) => `form-data; name="${name}"; filename`,
  (name) => `form-data; name="${name}"; filename="../../${'f'.repeat(3000)}"`,
  (name) => `form-data; name="${name}"; filename*=UTF-8''%e2%82`,
  (name) => `form-data; name*=utf-16''${name}%00`,
  (name) => `form-data; name*=nonsense'en'${name}%ff`,
  (name) => `form-data; name="${name}`,
  (name) => `form-data; ${'name="a"; '.repeat(300)}name="${name}"`,
  (name) => `attachment; name="${name}"`,
  () => 'form-data; name',
  () => 'form-data; name="a%0d%0ab"',
  () => 'form-data; name="__proto__"',
  () => ';',
  () => '',
];
const PART_HEADERS = [
  'Content-Type: text/plain; charset\r\n',
  'Content-Type: text/plain; charset=nonsense\r\n',
  'Content-Type: text/plain; charset=utf-16le\r\n',
  'Content-Type: text/plain; charset=utf-7\r\n',
  "Content-Type: text/plain; charset*=x''%ff\r\n",
  'Content-Type: multipart/mixed; boundary=inner\r\n',
  'Content-Type: ;\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  '__proto__: x\r\nconstructor: y\r\ntoString: z\r\n',
  ' folded\r\n',
  'X: a\r\n\tb\r\n',
  ': x\r\n',
  'no colon\r\n',
  'X: a\rb\r\n',
  'Content-Disposition: form-data; name="file"\r\n',
  `X: ${'y'.repeat(15_000)}\r\n`,
  `X: ${'y'.repeat(64 * 1024)}\r\n`,
  'A: b\r\n'.repeat(3000),
];
const NAMES = [
  'key',
  'file',
  'FILE',
  'acl',
  'Content-Type',
  'policy',
  'tagging',
  'x-amz-meta-a',
  'bucket',
  '__proto__',
  '',
];
const VALUES = [
  'plain',
  'a/${filename}',
  '${filename}'.repeat(50),
  '',
  '\u00e9\u0301',
  '\0',
  '\u2028',
  '\r\n--',
  '--AaB03x',
  'x'.repeat(1025),
  'x'.repeat(19_000),
  'x'.repeat(30_000),
  'private',
  'e30=',
  '--inner\r\nContent-Disposition: form-data; name="key"\r\n\r\ninner\r\n--inner--',
];
const ENDS: readonly ((boundary: string) => string)[] = [
  () => '',
  (boundary) => `--${boundary}`,
  (boundary) => `--${boundary}-`,
  (boundary) => `--${boundary}\r\nContent-Disp`,
  (boundary) => `--${boundary}--${'x'.repeat(25_000)}`,
  (boundary) => `--${boundary}--\r\n--${boundary}\r\nContent-Disposition: form-data; name="key"\r\n\r\nlater\r\n`,
];
const FRAMINGS = [
  'Content-Encoding: aws-chunked\r\n',
  'Content-Encoding: gzip\r\n',
  'Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
  'x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\n',
];

function part(random: Random, boundary: string, [name, value]: readonly [string, string]): Buffer {
  const plain = `form-data; name="${name}"${name.toLowerCase() === 'file' ? '; filename="f"' : ''}`;
  const disposition = random.oneIn(8) ? random.pick(DISPOSITIONS)(name) : plain;
  const end = random.oneIn(40) ? random.pick(['\n', '\r', '\n\r', '\r\r\n']) : '\r\n';
  const more = random.oneIn(8) ? random.pick(PART_HEADERS) : '';
  const head = `--${boundary}${random.oneIn(40) ? random.pick([' ', '-', 'x']) : ''}${end}Content-Disposition: ${disposition}${end}${more}${end}`;
  return Buffer.concat([Buffer.from(head, random.oneIn(2) ? 'latin1' : 'utf8'), Buffer.from(`${value}\r\n`)]);
}

function body(random: Random, boundary: string, signed: Fields): Buffer {
  const fields: (readonly [string, string])[] = [...signed];
  if (!random.oneIn(5)) fields.push(['key', random.oneIn(2) ? `key ${random.below(10_000)}` : random.pick(VALUES)]);
  for (let more = random.below(3); more > 0; more -= 1) fields.push([random.pick(NAMES), random.pick(VALUES)]);
  if (!random.oneIn(6)) fields.push(['file', random.pick(VALUES)]);
  if (random.oneIn(40)) fields.unshift(...Array.from({ length: 1100 }, () => ['x-ignore-a', ''] as const));
  const before = random.oneIn(12) ? random.pick(['preamble\r\n', '\r\n\r\n', '--', 'x'.repeat(25_000)]) : '';
  const end = random.oneIn(8) ? random.pick(ENDS)(boundary) : `--${boundary}--\r\n`;
  const parts = fields.map((field) => part(random, boundary, field));
  const whole = Buffer.concat([Buffer.from(before), ...parts, Buffer.from(end)]);
  if (random.oneIn(15)) {
    for (let flips = 0; flips < 4; flips += 1) whole[random.below(whole.length)] = random.below(256);
  }
  return random.oneIn(30) ? whole.subarray(0, random.below(whole.length)) : whole;
}

function form(random: Random, bucket: string, signed: Fields): readonly Buffer[] {
  const boundary = random.oneIn(3) ? random.pick(BOUNDARIES) : 'AaB03x';
  const type = random.oneIn(4) ? random.pick(TYPES)(boundary) : `multipart/form-data; boundary=${boundary}`;
  const content = body(random, boundary, random.oneIn(3) ? [] : signed);
  const framing = random.oneIn(12) ? random.pick(FRAMINGS) : '';
  const lines = `Host: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${content.length}\r\n${framing}`;
  const head = Buffer.from(`POST /${bucket} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
  const cut = random.oneIn(4) ? random.below(60) : content.length;
  return [head, content.subarray(0, cut), content.subarray(cut)];
}

describe.each(BACKENDS)('over %s', (backend) => {
  let gateway: AttackedGateway;

  async function send(pieces: readonly (Buffer | string)[], method = 'POST'): Promise<RawAnswer> {
    const connection = await RawConnection.open(gateway.port);
    try {
      for (const piece of pieces) {
        connection.send(piece);
        await new Promise(setImmediate);
      }
      return await connection.answer(method);
    } finally {
      connection.close();
    }
  }

  async function stored(bucket: string): Promise<string[]> {
    const { body: list } = await send([signedHead({ target: `/${bucket}?encoding-type=url` })], 'GET');
    return [...list.matchAll(/<Key>([^<]*)</g)].map(([, key = '']) => decodeURIComponent(key));
  }

  beforeAll(async () => {
    gateway = await startOver(backend);
    const open = { 'x-amz-acl': 'public-read-write', 'x-amz-object-ownership': 'ObjectWriter' };
    for (const [bucket, headers] of [
      ['open', open],
      ['closed', {}],
    ] as const) {
      const target = `/${bucket}`;
      const head = signedHead({ method: 'PUT', target, headers: { 'content-length': '0', ...headers } });
      expect((await send([head])).status).toBe(200);
    }
  });
  afterAll(() => gateway.close());

  test('each is stored as it is answered, or refused', async () => {
    const random = new Random(propertySeed);
    const signed = signedV4([], [['starts-with', '$key', ''], { bucket: 'closed' }]);
    const count = backend === MEMORY ? 700 : 200;
    const forms = Array.from({ length: count }, (_none, at) => {
      const bucket = at % 2 === 0 ? 'open' : 'closed';
      return { bucket, pieces: form(random, bucket, bucket === 'closed' ? signed : []) };
    });
    const made = new Map<string, Set<string>>([
      ['open', new Set()],
      ['closed', new Set()],
    ]);
    await sideBySide(forms, async ({ bucket, pieces }) => {
      const { status, headers } = await send(pieces);
      const text = JSON.stringify(Buffer.concat(pieces).toString('latin1').slice(0, 600));
      expect([200, 204, 303, 400, 403, 411, 412], text).toContain(status);
      const { location } = headers;
      if (status >= 400) return;
      expect(location, text).toMatch(/^http:\/\/localhost\/[\x21-\x7e]+$/);
      made.get(bucket)?.add(decodeURIComponent((location ?? '').replace(`http://localhost/${bucket}/`, '')));
    });
    for (const [bucket, keys] of made) {
      expect((await stored(bucket)).toSorted()).toEqual([...keys].toSorted());
      expect(keys.size).toBeGreaterThan(2);
    }
    expect(gateway.failures()).toEqual([]);
  });
});
