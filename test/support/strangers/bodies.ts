import { ACCESS_KEY, REGION } from '../clients/sign-raw.ts';
import { DAY, repeat, type StrangersRequest, times, VALUES } from './requests.ts';

/** Bodies may be four times as long as heads: together they are less than 64 KB. */
const LONGER = 4;
const BOUNDARY = 'strangers';

/** What a stranger sends in a body, to those who read it before they know him: forms of pages, the token service. */
function body(name: string, head: string, make: (bytes: number) => string): StrangersRequest {
  return {
    name,
    make: (bytes) => {
      const text = make(bytes * LONGER);
      return `${head}Host: localhost\r\nContent-Length: ${String(text.length)}\r\n\r\n${text}`;
    },
  };
}

function form(name: string, make: (bytes: number) => string, type = `boundary=${BOUNDARY}`): StrangersRequest {
  return body(`form ${name}`, `POST /bucket HTTP/1.1\r\nContent-Type: multipart/form-data; ${type}\r\n`, make);
}

function part(disposition: string, value = '', more = ''): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${value}\r\n`;
}

/** Of the fields before a file no more than 20 KB is read. */
const ROOM = 18_000;
const room = (bytes: number): number => Math.min(0.3 * bytes, ROOM);
const FILE = part('name="file"; filename="f"', 'x');
const END = `--${BOUNDARY}--\r\n`;
const key = part('name="key"', 'k');

function signedFields(policy: string): string {
  const credential = `${ACCESS_KEY}/${DAY}/${REGION}/s3/aws4_request`;
  return [
    part('name="policy"', policy),
    part('name="x-amz-algorithm"', 'AWS4-HMAC-SHA256'),
    part('name="x-amz-credential"', credential),
    part('name="x-amz-date"', `${DAY}T000000Z`),
    part('name="x-amz-signature"', '0'.repeat(64)),
  ].join('');
}

const FORMS: readonly StrangersRequest[] = [
  form('of fields', (bytes) => times(room(bytes), (index) => part(`name="f${String(index)}"`)) + FILE + END),
  form('of one field many times', (bytes) => times(room(bytes), () => part('name="key"')) + FILE + END),
  form('of file names in fields', (bytes) => {
    const half = room(bytes) / 2;
    const named = part(`name="file"; filename="${'n'.repeat(half)}"`, 'x');
    return part('name="key"', repeat('${filename}')(half)) + named + END;
  }),
  form('of file names in many fields', (bytes) => {
    const third = room(bytes) / 3;
    const fields = times(2 * third, (index) => part(`name="x-amz-meta-${String(index)}"`, '${filename}'.repeat(20)));
    return key + fields + part(`name="file"; filename="${'n'.repeat(third)}"`, 'x') + END;
  }),
  form('of parameters', (bytes) => part(`name="a"${repeat('; a=b')(room(bytes))}`) + FILE + END),
  form('of encoded parameters', (bytes) => part(`name*=UTF-8''${repeat('%41')(room(bytes))}`) + FILE + END),
  form('of quotes', (bytes) => part(`name="${repeat('\\"')(room(bytes))}"`) + FILE + END),
  form('of headers of a part', (bytes) => part('name="a"', '', repeat('a: b\r\n')(room(bytes))) + FILE + END),
  form('of boundaries', repeat(`--${BOUNDARY}\r\n`)),
  form('of beginnings of a boundary', repeat(`\r\n--${BOUNDARY.slice(0, -1)}`)),
  form('of line ends', repeat('\r\n')),
  form('of bytes in a file', (bytes) => key + part('name="file"; filename="f"', repeat('\r\n--strang')(bytes)) + END),
  form('of parts behind a file', (bytes) => key + FILE + times(bytes, () => part('name="a"')) + END),
  form('with a long boundary', (bytes) => repeat('a\r\n--aa')(bytes), `boundary=${'a'.repeat(9000)}`),
  form('with a policy of lists', (bytes) => {
    const policy = Buffer.from('['.repeat(room(bytes) / 1.5)).toString('base64');
    return signedFields(policy) + key + FILE + END;
  }),
  ...VALUES.map(([name, value]) =>
    form(`with a field of ${name}`, (bytes) => key + part('name="x-amz-meta-a"', value(room(bytes))) + FILE + END),
  ),
  ...VALUES.filter((_, index) => index % 3 === 0).map(([name, value]) =>
    form(`with a policy of ${name}`, (bytes) => {
      const text = Buffer.from(value(room(bytes) / 1.5), 'latin1').toString('base64');
      return signedFields(text) + key + FILE + END;
    }),
  ),
];

const STS_HEAD = 'POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n';
const ASSUME =
  'Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn:aws:iam::111111111111:role/r&RoleSessionName=me';

function call(name: string, make: (bytes: number) => string): StrangersRequest {
  return body(`token service ${name}`, STS_HEAD, make);
}

function token(claims: string): string {
  return `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from(claims).toString('base64url')}.AAAA`;
}

const CALLS: readonly StrangersRequest[] = [
  call('of parameters', (bytes) => `${ASSUME}&${times(bytes, (index) => `p${String(index)}=&`)}`),
  call('of few long parameters', (bytes) => `${ASSUME}&Policy=${repeat('%41')(bytes)}`),
  call('of plus signs', (bytes) => `${ASSUME}&Policy=${repeat('+')(bytes)}`),
  call('of a token of dots', (bytes) => `${ASSUME}&WebIdentityToken=${repeat('a.')(Math.min(bytes, 20_000))}`),
  call(
    'of a token of brackets',
    (bytes) => `${ASSUME}&WebIdentityToken=${token(`{"iss":${'['.repeat(Math.min(bytes, 14_000))}`)}`,
  ),
  call('of a token of claims', (bytes) => {
    const claims = times(Math.min(bytes, 14_000), (index) => `"c${String(index)}":"v",`);
    return `${ASSUME}&WebIdentityToken=${token(`{${claims}"iss":"https://nobody.example.com"}`)}`;
  }),
  call('of a long session name', (bytes) => `${ASSUME.replace('me', repeat('a')(bytes))}&WebIdentityToken=aaaa`),
  ...VALUES.map(([name, value]) =>
    call(`with ${name}`, (bytes) => `${ASSUME}&WebIdentityToken=${encodeURIComponent(value(bytes / 3))}`),
  ),
  ...VALUES.filter((_, index) => index % 3 === 0).map(([name, value]) =>
    call(`asked for ${name}`, (bytes) => `Version=2011-06-15&Action=${encodeURIComponent(value(bytes / 3))}`),
  ),
];

function preflight(name: string, lines: (bytes: number) => string): StrangersRequest {
  return {
    name: `preflight of ${name}`,
    make: (bytes) =>
      `OPTIONS /bucket/key HTTP/1.1\r\nHost: localhost\r\nAccess-Control-Request-Method: GET\r\n${lines(bytes)}\r\n`,
  };
}

const PREFLIGHTS: readonly StrangersRequest[] = [
  preflight(
    'headers',
    (bytes) =>
      `Origin: http://a.b\r\nAccess-Control-Request-Headers: ${times(bytes, (index) => `h${String(index)},`)}\r\n`,
  ),
  preflight('a long origin', (bytes) => `Origin: ${'a.'.repeat(bytes / 2)}\r\n`),
  preflight('commas', (bytes) => `Origin: http://a.b\r\nAccess-Control-Request-Headers: ${','.repeat(bytes)}\r\n`),
];

const WEBSITE: readonly StrangersRequest[] = VALUES.filter(([name]) => !/blanks|tabs|beyond|no-break/.test(name)).map(
  ([name, value]) => ({
    name: `website, path of ${name}`,
    make: (bytes) => `GET /${value(bytes).replaceAll(' ', '%20')} HTTP/1.1\r\nHost: bucket.web.localhost\r\n\r\n`,
  }),
);

/** Requests whose heads are not all that is read of strangers. */
export const FURTHER_REQUESTS: readonly StrangersRequest[] = [...FORMS, ...CALLS, ...PREFLIGHTS, ...WEBSITE];
