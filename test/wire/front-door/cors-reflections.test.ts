import { beforeAll, expect, test } from 'vitest';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';

/*
 * What of a page's request comes back in headers: odd origins, methods and names of headers at every kind of address,
 * by preflights and by requests. An origin is told again as it came and only where a rule fits, the rest never.
 */
const shared = sharedGateway();
const ALLOWED: Readonly<Record<string, string>> = {
  'any-origin': '*',
  'sub-domains': 'https://*.example.com',
  'one-origin': 'https://www.example.com',
  'no-origin': 'null',
};
const ORIGINS = [
  'https://www.example.com',
  'https://WWW.EXAMPLE.COM',
  'https://a.example.com',
  'https://a.example.com.',
  'https://a.example.com:443',
  'https://example.com.evil.example',
  'https://evilexample.com',
  'https://user:word@a.example.com',
  'https://xn--exmple-cua.example.com',
  'https://ex\u00e4mple.example.com',
  'https://a\u0085b.example.com',
  'https://a%0d%0aSet-Cookie:x.example.com',
  'https://a"><script>.example.com',
  'https://evil.example, https://a.example.com',
  'https://a.example.com, https://evil.example',
  'https://$&.example.com',
  `https://${'a.'.repeat(4000)}example.com`,
  'javascript:alert(1)',
  'null',
  'NULL',
  '*',
  '',
  '\u00a0https://a.example.com',
  '__proto__',
];
const METHODS = ['GET', 'get', '', '*', 'GET, PUT', 'G\u00c9T', 'constructor', 'X'.repeat(8000)];
const NAMES = [
  '',
  ',',
  'x-a, X-B ,,',
  'x-a,'.repeat(2000),
  Array.from({ length: 3000 }, (_none, at) => `x${at}`).join(','),
  'x a',
  'x:a',
  '"x"',
  'x-\u00e9',
  '*',
  '__proto__,constructor',
  `x-${'a'.repeat(8000)}`,
];
/** Of lines that no parser may take for a value. */
const BROKEN = ['https://a\rSet-Cookie: x', 'https://a\nSet-Cookie: x', 'https://a\0', 'https://a\x7f', 'a\r\n folded'];

interface Place {
  readonly host: string;
  readonly path: string;
  readonly more?: string;
}

function placesOf(bucket: string): readonly Place[] {
  return [
    { host: 'localhost', path: `/${bucket}/key` },
    { host: `${bucket}.localhost`, path: '/key' },
    { host: `${bucket}.web.localhost`, path: '/key' },
    {
      host: 'localhost',
      path: `/v20180820/tags/arn%3Aaws%3As3%3A%3A%3A${bucket}`,
      more: 'x-amz-account-id: 444444444444\r\n',
    },
  ];
}

function ask(method: string, { host, path, more = '' }: Place, lines: string): Promise<RawAnswer> {
  const text = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}${lines}\r\n`;
  return roundTrip(shared.gateway.port, Buffer.from(text, 'latin1'), method);
}

beforeAll(async () => {
  const site = '<WebsiteConfiguration><IndexDocument><Suffix>i</Suffix></IndexDocument></WebsiteConfiguration>';
  for (const [bucket, origin] of Object.entries(ALLOWED)) {
    const cors = `<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>${origin}</AllowedOrigin><AllowedHeader>*</AllowedHeader></CORSRule></CORSConfiguration>`;
    expect(await shared.as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
    expect(await shared.as('owner', { method: 'PUT', target: `/${bucket}?cors`, body: cors })).toBe('200');
    expect(await shared.as('owner', { method: 'PUT', target: `/${bucket}?website`, body: site })).toBe('200');
  }
  await new Promise((done) => setTimeout(done, 50));
});

function fits(pattern: string, origin: string): boolean {
  const [begin = '', end] = pattern.split('*');
  return end === undefined ? origin === begin : origin.startsWith(begin) && origin.endsWith(end);
}

/** What is wrong with an answer, if anything. */
function faultOf({ status, headers, body }: RawAnswer, origin: string, pattern: string): string | undefined {
  const { 'access-control-allow-origin': told, 'access-control-allow-credentials': credentials } = headers;
  const sent = origin.replaceAll(/^[ \t]+|[ \t]+$/g, '');
  if (status >= 500) return `${status}`;
  if ('set-cookie' in headers || Object.values(headers).some((value) => !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))) {
    return 'a header that nobody meant';
  }
  if (body.includes('<script')) return 'markup as it came';
  if (told !== undefined && !fits(pattern, sent)) return `told ${told}`;
  if (told !== undefined && told !== (pattern === '*' ? '*' : sent)) return `told ${told} of ${sent}`;
  return told === '*' && credentials !== undefined ? 'credentials for all' : undefined;
}

test.each(Object.entries(ALLOWED))('at %s, which allows %s', async (bucket, pattern) => {
  const faults: string[] = [];
  let told = 0;
  for (const origin of ORIGINS) {
    for (const place of placesOf(bucket)) {
      const lines = `Origin: ${origin}\r\n`;
      const answers = await Promise.all([
        ask('OPTIONS', place, `${lines}Access-Control-Request-Method: GET\r\n`),
        ask('OPTIONS', place, `${lines}Access-Control-Request-Method: PUT\r\n`),
        ask('GET', place, lines),
        ask('HEAD', place, lines),
      ]);
      for (const answer of answers) {
        const fault = faultOf(answer, origin, pattern);
        if (fault !== undefined) faults.push(`${place.host}${place.path}, ${origin.slice(0, 60)}: ${fault}`);
        if (answer.headers['access-control-allow-origin'] !== undefined) told += 1;
      }
    }
  }
  expect(faults).toEqual([]);
  expect(told).toBeGreaterThan(0);
});

test('methods and names of headers come back as the rule has them, or not at all', async () => {
  const faults: string[] = [];
  const origin = 'https://a.example.com';
  for (const place of placesOf('sub-domains')) {
    for (const [name, values] of [
      ['Method', METHODS],
      ['Headers', NAMES],
    ] as const) {
      for (const value of values) {
        const method = name === 'Method' ? '' : 'Access-Control-Request-Method: GET\r\n';
        const lines = `Origin: ${origin}\r\n${method}Access-Control-Request-${name}: ${value}\r\n`;
        for (const answer of [await ask('OPTIONS', place, lines), await ask('GET', place, lines)]) {
          const fault = faultOf(answer, origin, 'https://*.example.com');
          const { 'access-control-allow-headers': allowed = '', 'access-control-allow-methods': methods = 'GET' } =
            answer.headers;
          if (fault !== undefined) faults.push(`${place.path}, ${value.slice(0, 40)}: ${fault}`);
          if (methods !== 'GET' || allowed.split(', ').length > 100) {
            faults.push(`${place.path}, ${value.slice(0, 40)}`);
          }
        }
      }
    }
  }
  expect(faults).toEqual([]);
});

test.each(BROKEN)('an origin that is none ends the connection: %j', async (origin) => {
  for (const place of placesOf('sub-domains')) {
    const { status, headers } = await ask('GET', place, `Origin: ${origin}\r\n`);
    expect([status, headers['connection'], headers['access-control-allow-origin']]).toEqual([400, 'close', undefined]);
  }
});

test('two lines of it are one origin, which no browser has', async () => {
  const lines = 'Origin: https://evil.example\r\nOrigin: https://a.example.com\r\n';
  for (const place of placesOf('one-origin')) {
    expect((await ask('GET', place, lines)).headers['access-control-allow-origin']).toBeUndefined();
  }
});
