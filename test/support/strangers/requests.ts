import { ACCESS_KEY, REGION } from '../clients/sign-raw.ts';

/** A request that nobody signed, of about so many bytes, in which one thing is repeated, nested, long or escaped. */
export interface StrangersRequest {
  readonly name: string;
  readonly make: (bytes: number) => string;
}

export const DAY = new Date().toISOString().slice(0, 10).replaceAll('-', '');
const AMZ_DATE = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
const SIGNATURE = '0'.repeat(64);

function credential(key = ACCESS_KEY): string {
  return `${key}/${DAY}/${REGION}/s3/aws4_request`;
}

/** As many of them as fit. */
export function times(bytes: number, make: (index: number) => string): string {
  let text = '';
  for (let index = 0; text.length < bytes; index += 1) text += make(index);
  return text;
}

function head(lines: string, { method = 'GET', target = '/bucket/key', host = 'localhost' } = {}): string {
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`;
}

function line(name: string, value: (bytes: number) => string): StrangersRequest {
  return { name: `header ${name}`, make: (bytes) => head(`${name}: ${value(bytes)}\r\n`) };
}

function target(name: string, make: (bytes: number) => string, method = 'GET'): StrangersRequest {
  return { name: `target ${name}`, make: (bytes) => head('Content-Length: 0\r\n', { target: make(bytes), method }) };
}

/** A header that carries a signature that is wrong, with other lines beside it. */
function signed(names: string, { lines = '', key = ACCESS_KEY, method = 'GET', path = '/bucket/key' } = {}): string {
  const common = `x-amz-date: ${AMZ_DATE}\r\nx-amz-content-sha256: UNSIGNED-PAYLOAD\r\n`;
  return head(
    `${common}Authorization: AWS4-HMAC-SHA256 Credential=${credential(key)}, SignedHeaders=${names}, Signature=${SIGNATURE}\r\n${lines}`,
    { method, target: path },
  );
}

function presigned(names: string, { query = '', lines = '' } = {}): string {
  const own = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(credential())}&X-Amz-Date=${AMZ_DATE}&X-Amz-Expires=600`;
  return head(lines, {
    target: `/bucket/key?${own}&X-Amz-SignedHeaders=${encodeURIComponent(names)}&X-Amz-Signature=${SIGNATURE}${query}`,
  });
}

function presignedV2(query: string): string {
  return head('', {
    target: `/bucket/key?AWSAccessKeyId=${ACCESS_KEY}&Expires=99999999999&Signature=AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D${query}`,
  });
}

const OWN = 'host;x-amz-content-sha256;x-amz-date';
const named = (index: number): string => `h${String(index).padStart(5, '0')}`;
export const repeat =
  (text: string) =>
  (bytes: number): string =>
    times(bytes, () => text);

/** Values that have cost somebody dearly somewhere: patterns that try again from each place, escapes within escapes. */
export const VALUES: readonly (readonly [name: string, value: (bytes: number) => string])[] = [
  ['long', repeat('v')],
  ['blanks within', (bytes) => `a${' '.repeat(bytes)}b`],
  ['tabs within', (bytes) => `a${'\t'.repeat(bytes)}b`],
  ['no-break spaces', (bytes) => `a${'\u00a0'.repeat(bytes)}b`],
  ['commas', repeat(',')],
  ['tags', repeat('"a", ')],
  ['weak tags', repeat('W/"a",')],
  ['quotes', repeat('"')],
  ['backslashes', (bytes) => `a=token="${'\\'.repeat(bytes)}`],
  ['backslashes and quotes', repeat('a=token="\\\\\\"')],
  ['tokens', (bytes) => `-eyJ${'a'.repeat(bytes)}`],
  ['many tokens', repeat('-eyJaaaaaaaa.')],
  ['cookies', repeat('k=v; ')],
  ['names of secrets', repeat('password=')],
  ['secrets', repeat('secret="x" ')],
  ['bearers', repeat('Bearer ')],
  ['user info', repeat('://a:')],
  ['escapes', repeat('%41')],
  ['escaped escapes', repeat('%2525')],
  ['broken escapes', repeat('%')],
  ['escapes of no UTF-8', repeat('%ff')],
  ['escaped equal signs', repeat('sig%253D')],
  ['bytes beyond ASCII', repeat('\u00ff')],
  ['markup', repeat('<&>"')],
  ['ranges', (bytes) => `bytes=${times(bytes, (index) => `${index}-${index},`)}`],
  ['digits', repeat('9')],
  ['pairs', repeat('a=b&')],
  ['colons', repeat('a:')],
  ['dots', repeat('a.')],
  ['slashes', repeat('/a')],
  ['questions', repeat('?versionId=')],
  ['brackets', repeat('[{(')],
  ['private keys', repeat('-----BEGIN PRIVATE KEY-----')],
  ['addresses', repeat('127.0.0.1, ')],
  ['grants', repeat('id="a", ')],
  ['semicolons', repeat('a;')],
  ['plus signs', repeat('+')],
  ['signatures', repeat("signature ''")],
];

const HEADERS = [
  'accept',
  'authorization',
  'content-type',
  'cookie',
  'date',
  'expect',
  'forwarded',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'origin',
  'range',
  'referer',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-amz-acl',
  'x-amz-checksum-crc32',
  'x-amz-content-sha256',
  'x-amz-copy-source',
  'x-amz-date',
  'x-amz-decoded-content-length',
  'x-amz-grant-read',
  'x-amz-meta-a',
  'x-amz-object-attributes',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-security-token',
  'x-amz-tagging',
  'x-amz-trailer',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-junk',
];

const LINES: readonly StrangersRequest[] = [
  { name: 'one line many times', make: (bytes) => head(repeat('a:b\r\n')(bytes)) },
  { name: 'many lines', make: (bytes) => head(times(bytes, (index) => `${named(index)}:v\r\n`)) },
  { name: 'many x-amz-meta lines', make: (bytes) => head(times(bytes, (index) => `x-amz-meta-${index}:v\r\n`)) },
  { name: 'a long name', make: (bytes) => head(`${'n'.repeat(bytes)}: v\r\n`) },
  { name: 'a Host of dots', make: (bytes) => head('', { host: `${times(bytes, () => 'a.')}localhost` }) },
  { name: 'a Host of ports', make: (bytes) => head('', { host: `localhost${times(bytes, () => ':1')}` }) },
];

const SIGNED: readonly StrangersRequest[] = [
  {
    name: 'signed names: one many times',
    make: (bytes) => signed(repeat('a;')(bytes / 2), { lines: repeat('a:b\r\n')(bytes / 2) }),
  },
  {
    name: 'signed names: one many times, few lines',
    make: (bytes) => signed(repeat('a;')(bytes - 1500), { lines: repeat('a:b\r\n')(1200) }),
  },
  {
    name: 'signed names: many',
    make: (bytes) =>
      signed(
        times(bytes / 2, (index) => `${named(index)};`),
        { lines: times(bytes / 2, (index) => `${named(index)}:\r\n`) },
      ),
  },
  {
    name: 'signed names: a hundred, long lines',
    make: (bytes) => {
      const names = Array.from({ length: 90 }, (_, index) => named(index));
      return signed([...names, ...OWN.split(';')].join(';'), {
        lines: names.map((name) => `${name}: ${'v '.repeat((bytes - 2000) / 180)}\r\n`).join(''),
      });
    },
  },
  {
    name: 'signed names: case variants',
    make: (bytes) =>
      signed(
        times(700, (index) => `${'aA'.repeat(4).slice(index % 7)};`),
        { lines: `aaaaaaaa: ${'v'.repeat(bytes)}\r\n` },
      ),
  },
  { name: 'signed, one long line', make: (bytes) => signed(`a;${OWN}`, { lines: `a: ${'v,'.repeat(bytes / 2)}\r\n` }) },
  {
    name: 'signed, a long content type',
    make: (bytes) => signed(`content-type;${OWN}`, { lines: `content-type: ${'\u00a0;'.repeat(bytes / 2)}\r\n` }),
  },
  {
    name: 'signed, an ETag list',
    make: (bytes) =>
      signed(OWN.replace('host', 'host;if-match'), { lines: `if-match: ${'W/"a", '.repeat(bytes / 7)}\r\n` }),
  },
  { name: 'signed, a path of escapes', make: (bytes) => signed(OWN, { path: `/bucket/${'%41'.repeat(bytes / 3)}` }) },
  {
    name: 'signed, a path of slashes',
    make: (bytes) =>
      signed(OWN, { path: `/bucket/${'/'.repeat(Math.min(1000, bytes))}?${'%2F=%2F&'.repeat(bytes / 16)}` }),
  },
  {
    name: 'signed, unsigned lines',
    make: (bytes) => signed(OWN, { lines: times(bytes, (index) => `x-amz-${index}:\r\n`) }),
  },
  { name: 'signed, unknown key', make: (bytes) => signed(OWN, { key: 'k/'.repeat(bytes / 2) }) },
  {
    name: 'authorization of commas',
    make: (bytes) => head(`Authorization: AWS4-HMAC-SHA256 ${','.repeat(bytes)}\r\nx-amz-date: ${AMZ_DATE}\r\n`),
  },
  {
    name: 'authorization of components',
    make: (bytes) =>
      head(`Authorization: AWS4-HMAC-SHA256 ${'Credential=a, '.repeat(bytes / 14)}\r\nx-amz-date: ${AMZ_DATE}\r\n`),
  },
  {
    name: 'presigned, one name many times',
    make: (bytes) => presigned(repeat('a;')(bytes / 4), { lines: repeat('a:b\r\n')(bytes / 2) }),
  },
  {
    name: 'presigned, many parameters',
    make: (bytes) => presigned('host', { query: times(bytes - 400, (index) => `&p${index}`) }),
  },
  {
    name: 'presigned, many hoisted headers',
    make: (bytes) => presigned('host', { query: times(bytes - 400, (index) => `&x-amz-meta-${index}=v`) }),
  },
  {
    name: 'presigned, hoisted and sent',
    make: (bytes) =>
      presigned('host', {
        query: times(bytes / 2 - 400, (index) => `&x-amz-meta-${index}=v`),
        lines: times(bytes / 2 - 400, (index) => `x-amz-meta-${index}:w\r\n`),
      }),
  },
  {
    name: 'presigned, one long parameter',
    make: (bytes) => presigned('host', { query: `&x-amz-meta-a=${'%41'.repeat((bytes - 400) / 3)}` }),
  },
  {
    name: 'version 2, many hoisted headers',
    make: (bytes) => presignedV2(times(bytes - 200, (index) => `&x-amz-meta-${index}=v`)),
  },
  {
    name: 'version 2, one long parameter',
    make: (bytes) => presignedV2(`&x-amz-meta-a=${'%41'.repeat((bytes - 200) / 3)}`),
  },
];

/** Everything that a stranger may choose, as long as he may choose it. */
export const STRANGERS_REQUESTS: readonly StrangersRequest[] = [
  ...LINES,
  ...SIGNED,
  ...VALUES.map(([name, value]) => line(`x-junk of ${name}`, value)),
  ...VALUES.map(([name, value]) => ({
    ...line(`x-amz-meta-a, signed, of ${name}`, value),
    make: (bytes: number) => signed(`${OWN};x-amz-meta-a`, { lines: `x-amz-meta-a: ${value(bytes)}\r\n` }),
  })),
  ...HEADERS.flatMap((header) =>
    VALUES.filter((_, index) => index % 5 === header.length % 5).map(([name, value]) => ({
      ...line(header, value),
      name: `header ${header} of ${name}`,
    })),
  ),
  ...VALUES.filter(([name]) => !/blanks|tabs|beyond|no-break|questions/.test(name)).flatMap(([name, value]) => {
    const text = (bytes: number): string => value(bytes).replaceAll(' ', '%20');
    return [
      target(`path of ${name}`, (bytes) => `/bucket/${text(bytes)}`),
      target(`bucket of ${name}`, (bytes) => `/${text(bytes)}`),
      target(`value of ${name}`, (bytes) => `/bucket?prefix=${text(bytes)}`),
      target(`name of ${name}`, (bytes) => `/bucket?${text(bytes)}=x`),
    ];
  }),
  target('pairs', (bytes) => `/bucket?${times(bytes, (index) => `${named(index)}=&`)}`),
  target('ampersands', (bytes) => `/bucket?${'&'.repeat(bytes)}`),
  target('dots', (bytes) => `/bucket/${'../'.repeat(bytes / 3)}`),
  target('escaped dots', (bytes) => `/bucket/${'%2e%2e/'.repeat(bytes / 7)}`),
  target('absolute', (bytes) => `http://${'a'.repeat(bytes)}/`),
  target('sub-resources', (bytes) => `/bucket?${'acl&'.repeat(bytes / 4)}`),
];
