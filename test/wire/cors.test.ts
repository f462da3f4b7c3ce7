import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import '../support/property-seed.ts';
import { type Caller, type Sent, outcome, send } from '../support/acl-client.ts';
import { MemoryBlobStore } from '../../adapters/memory/memory-blob-store.ts';
import { withCallLog } from '../../adapters/memory/call-log.ts';
import { type TestGateway, startGatewayOver, startTestGateway } from '../support/gateway.ts';
import type { RawAnswer } from '../support/raw-http.ts';

let gateway: TestGateway;
let bucket: string;
let made = 0;
const PAGE = 'https://www.example.com';
const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

beforeEach(async () => {
  bucket = `cors-${++made}`;
  expect(await as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
});

async function as(caller: Caller, sent: Sent): Promise<string> {
  return outcome(await send(gateway.port, caller, sent));
}

function document(...rules: string[]): string {
  return `<CORSConfiguration>${rules.map((rule) => `<CORSRule>${rule}</CORSRule>`).join('')}</CORSConfiguration>`;
}

const allowing = (methods: string, origin: string, more = ''): string =>
  `${methods
    .split(' ')
    .map((method) => `<AllowedMethod>${method}</AllowedMethod>`)
    .join('')}<AllowedOrigin>${origin}</AllowedOrigin>${more}`;

function put(body: string): Promise<string> {
  return as('owner', { method: 'PUT', target: `/${bucket}?cors`, body });
}

async function get(): Promise<string> {
  const answer = await send(gateway.port, 'owner', { method: 'GET', target: `/${bucket}?cors` });
  if (answer.status !== 200) return outcome(answer);
  return answer.body
    .replace('<?xml version="1.0" encoding="UTF-8"?>\n', '')
    .replace(' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"', '');
}

/** Sets rules and waits until no request goes by older ones. */
async function allow(...rules: string[]): Promise<void> {
  expect(await put(document(...rules))).toBe('200');
  await new Promise((done) => setTimeout(done, 30));
}

/** What an answer tells browsers: names without `access-control-`. */
function told({ headers }: RawAnswer): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary');
  return Object.fromEntries(entries.map(([name, value]) => [name.replace('access-control-', ''), value]));
}

function preflight(target: string, headers: Readonly<Record<string, string>>, host = 'localhost'): Promise<RawAnswer> {
  return send(gateway.port, 'anonymous', { method: 'OPTIONS', target, headers: { host, ...headers } });
}

const asking = (method: string, origin = PAGE): Record<string, string> => ({
  origin: origin,
  'access-control-request-method': method,
});

describe('the configuration', () => {
  test('is none, what was set, none again', async () => {
    expect(await get()).toBe('404 NoSuchCORSConfiguration');
    const whole = document(
      `<ID>all</ID>${allowing('GET PUT POST DELETE HEAD', 'https://*.example.com', '<AllowedOrigin>*</AllowedOrigin><AllowedHeader>x-amz-*</AllowedHeader><MaxAgeSeconds>600</MaxAgeSeconds><ExposeHeader>ETag</ExposeHeader><ExposeHeader>x-amz-request-id</ExposeHeader>')}`,
      allowing('GET', 'null'),
    );
    expect(await put(whole)).toBe('200');
    expect(await get()).toBe(whole);
    for (let again = 0; again < 2; again++) {
      expect(await as('owner', { method: 'DELETE', target: `/${bucket}?cors` })).toBe('204');
    }
    expect(await get()).toBe('404 NoSuchCORSConfiguration');
  });

  test('takes an age below zero: browsers remember nothing', async () => {
    await allow(allowing('GET', '*', '<AllowedHeader/><MaxAgeSeconds>-100</MaxAgeSeconds>'));
    expect(await get()).toBe(
      document(allowing('GET', '*', '<AllowedHeader></AllowedHeader><MaxAgeSeconds>-100</MaxAgeSeconds>')),
    );
    expect(told(await preflight(`/${bucket}/key`, asking('GET')))).toMatchObject({ 'max-age': '-100' });
  });

  test('survives other settings, and the most rules', async () => {
    const rules = Array.from({ length: 100 }, (_none, i) =>
      allowing('GET', `https://${'a'.repeat(300)}${i}.example.com`),
    );
    expect(await put(document(...rules))).toBe('200');
    expect(
      await as('owner', {
        method: 'PUT',
        target: `/${bucket}?versioning`,
        body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
      }),
    ).toBe('200');
    expect(await get()).toBe(document(...rules));
  });

  test.each([
    ['no rule', document(), '400 MalformedXML', ''],
    ['a rule without methods', document('<AllowedOrigin>*</AllowedOrigin>'), '400 MalformedXML', ''],
    ['a rule without origins', document('<AllowedMethod>GET</AllowedMethod>'), '400 MalformedXML', ''],
    [
      'a method that is none',
      document(allowing('PATCH', '*')),
      '400 InvalidRequest',
      'Found unsupported HTTP method in CORS config. Unsupported method is PATCH',
    ],
    [
      'a method in other letters',
      document(allowing('get', '*')),
      '400 InvalidRequest',
      'Found unsupported HTTP method in CORS config. Unsupported method is get',
    ],
    [
      'two wildcards in an origin',
      document(allowing('GET', 'http://*.*')),
      '400 InvalidRequest',
      'AllowedOrigin "http://*.*" can not have more than one wildcard.',
    ],
    [
      'two wildcards in a header',
      document(allowing('GET', '*', '<AllowedHeader>*-*</AllowedHeader>')),
      '400 InvalidRequest',
      'AllowedHeader "*-*" can not have more than one wildcard.',
    ],
    [
      'a wildcard to expose',
      document(allowing('GET', '*', '<ExposeHeader>*</ExposeHeader>')),
      '400 InvalidRequest',
      'ExposeHeader "*" contains wildcard. We currently do not support wildcard for ExposeHeader.',
    ],
    [
      'a header to expose that is none',
      document(allowing('GET', '*', '<ExposeHeader>a: b&#xD;&#xA;c</ExposeHeader>')),
      '400 InvalidRequest',
      'contains invalid character',
    ],
    [
      'a header to allow that is none',
      document(allowing('GET', '*', '<AllowedHeader>x-a</AllowedHeader><AllowedHeader>X(Custom)</AllowedHeader>')),
      '400 InvalidRequest',
      'AllowedHeader "X(Custom)" contains invalid character.',
    ],
    [
      'an age out of bounds',
      document(allowing('GET', '*', '<MaxAgeSeconds>-2147483648</MaxAgeSeconds>')),
      '400 MalformedXML',
      '',
    ],
    [
      'a long name',
      document(`<ID>${'i'.repeat(256)}</ID>${allowing('GET', '*')}`),
      '400 InvalidRequest',
      'ID length should not exceed allowed limit of 255',
    ],
    ['an element nobody knows', document(allowing('GET', '*', '<Any/>')), '400 MalformedXML', ''],
    [
      '101 rules',
      document(...Array<string>(101).fill(allowing('GET', '*'))),
      '400 InvalidRequest',
      'The number of CORS rules should not exceed allowed limit of 100 rules.',
    ],
    ['more than 64 KB', document(allowing('GET', 'a'.repeat(65_536))), '400 MaxMessageLengthExceeded', ''],
  ])('%s is refused', async (_name, body, expected, message) => {
    await allow(allowing('HEAD', PAGE));
    const answer = await send(gateway.port, 'owner', { method: 'PUT', target: `/${bucket}?cors`, body });
    expect([outcome(answer), answer.body]).toEqual([expected, expect.stringContaining(message)]);
    expect(await get()).toBe(document(allowing('HEAD', PAGE)));
  });

  test.each(['other', 'anonymous'] as const)("is the owner's alone: %s", async (caller) => {
    await allow(allowing('GET', '*'));
    expect(await as(caller, { method: 'GET', target: `/${bucket}?cors` })).toBe('403 AccessDenied');
    expect(await as(caller, { method: 'PUT', target: `/${bucket}?cors`, body: document(allowing('PUT', '*')) })).toBe(
      '403 AccessDenied',
    );
    expect(await as(caller, { method: 'DELETE', target: `/${bucket}?cors` })).toBe('403 AccessDenied');
    expect(await get()).toBe(document(allowing('GET', '*')));
  });
});

describe('a preflight', () => {
  test.each([
    ['GET', PAGE, undefined, '200'],
    ['PUT', PAGE, undefined, '200'],
    ['PUT', PAGE, 'content-type, X-Amz-Meta-A', '200'],
    ['PUT', PAGE, 'authorization', '403 AccessForbidden'],
    ['PUT', PAGE, ' , ', '200'],
    ['PUT', PAGE, 'content-type, X-Amz Meta', '400 BadRequest'],
    ['DELETE', PAGE, 'X[Key]', '400 BadRequest'],
    ['DELETE', PAGE, undefined, '403 AccessForbidden'],
    ['GET', 'https://www.example.org', undefined, '403 AccessForbidden'],
    ['GET', 'HTTPS://www.example.com', undefined, '403 AccessForbidden'],
    ['GET', 'null', undefined, '403 AccessForbidden'],
    ['HEAD', 'https://any.example.net', 'x', '200'],
    ['HEAD', 'https://.example.net', 'x', '200'],
    ['HEAD', 'https://example.net', 'x', '403 AccessForbidden'],
    ['PATCH', PAGE, undefined, '400 BadRequest'],
  ])('%s from %s with %s: %s', async (method, origin, names, expected) => {
    await allow(
      allowing(
        'GET PUT',
        PAGE,
        '<AllowedHeader>Content-Type</AllowedHeader><AllowedHeader>x-AMZ-meta-*</AllowedHeader>',
      ),
      allowing('HEAD', 'https://*.example.net', '<AllowedHeader>*</AllowedHeader>'),
    );
    const headers = {
      ...asking(method, origin),
      ...(names !== undefined && { 'access-control-request-headers': names }),
    };
    for (const target of [
      `/${bucket}`,
      `/${bucket}/`,
      `/${bucket}/key?versionId=x&acl`,
      `/${bucket}/a%2Fb?X-Amz-Signature=no&x-amz-copy-source=/a/b`,
    ]) {
      const answer = await preflight(target, headers);
      expect(outcome(answer), target).toBe(expected);
      if (expected === '200') continue;
      expect(told(answer)).toEqual({});
      if (expected.startsWith('403')) {
        expect(answer.body).toContain(
          `<Method>${method}</Method><ResourceType>${target.length > bucket.length + 2 ? 'OBJECT' : 'BUCKET'}</ResourceType>`,
        );
      }
    }
    expect(outcome(await preflight('/key', headers, `${bucket}.localhost`)), 'virtual host').toBe(expected);
  });

  test('says what the rule says', async () => {
    await allow(
      allowing(
        'GET PUT',
        PAGE,
        '<AllowedHeader>*</AllowedHeader><MaxAgeSeconds>600</MaxAgeSeconds><ExposeHeader>ETag</ExposeHeader><ExposeHeader>x-amz-id-2</ExposeHeader>',
      ),
      allowing('DELETE', '*'),
    );
    expect(
      told(
        await preflight(`/${bucket}/key`, {
          ...asking('PUT'),
          'access-control-request-headers': 'Content-Type,x-b, x-b',
        }),
      ),
    ).toEqual({
      'allow-origin': PAGE,
      'allow-methods': 'GET, PUT',
      'allow-headers': 'content-type, x-b',
      'expose-headers': 'ETag, x-amz-id-2',
      'max-age': '600',
      'allow-credentials': 'true',
      vary: VARY,
    });
    expect(told(await preflight(`/${bucket}/key`, asking('DELETE')))).toEqual({
      'allow-origin': '*',
      'allow-methods': 'DELETE',
      vary: VARY,
    });
  });

  test('without what it takes is a bad request', async () => {
    for (const headers of [{}, { origin: '', 'access-control-request-method': 'GET' }]) {
      const without = await preflight(`/${bucket}`, headers);
      expect([outcome(without), without.body]).toEqual([
        '400 BadRequest',
        expect.stringContaining('Insufficient information. Origin request header needed.'),
      ]);
    }
    const half = await preflight(`/${bucket}`, { origin: PAGE });
    expect([outcome(half), half.body]).toEqual([
      '400 BadRequest',
      expect.stringContaining('Invalid Access-Control-Request-Method: null'),
    ]);
  });

  test('of a bucket without rules, and of none', async () => {
    expect((await preflight(`/${bucket}/key`, asking('GET'))).body).toContain(
      '<Code>AccessForbidden</Code><Message>CORSResponse: CORS is not enabled for this bucket.</Message>',
    );
    expect((await preflight('/no-such-bucket', asking('GET'))).body).toContain(
      '<Code>AccessForbidden</Code><Message>CORSResponse: Bucket not found</Message>',
    );
  });

  test('with more headers than any request has is refused', async () => {
    await allow(allowing('GET', '*', '<AllowedHeader>*</AllowedHeader>'));
    const names = (count: number): string => Array.from({ length: count }, (_none, i) => `h${i}`).join();
    const ask = (count: number): Promise<RawAnswer> =>
      preflight(`/${bucket}`, { ...asking('GET'), 'access-control-request-headers': names(count) });
    expect([outcome(await ask(100)), outcome(await ask(101))]).toEqual(['200', '403 AccessForbidden']);
  });

  test('costs no call when the bucket is in memory', async () => {
    const store = withCallLog(new MemoryBlobStore());
    const counted = await startGatewayOver(store, { bucketCacheMs: 60_000 });
    const ask = (method: string, target: string, headers = {}): Promise<RawAnswer> =>
      send(counted.port, method === 'OPTIONS' ? 'anonymous' : 'owner', { method, target, headers });
    const costs = async (method: string, target: string, headers = {}): Promise<number> => {
      store.clearCalls();
      await ask(method, target, headers);
      return store.countCalls();
    };
    try {
      await ask('PUT', '/counted');
      await ask('PUT', '/counted/key');
      await ask('GET', '/counted/key');
      expect(await costs('OPTIONS', '/counted/key', asking('GET'))).toBe(0);
      expect(await costs('GET', '/counted/key', { origin: PAGE })).toBe(await costs('GET', '/counted/key'));
      expect(await costs('OPTIONS', '/nowhere', asking('GET'))).toBeGreaterThan(0);
      expect(await costs('OPTIONS', '/nowhere', asking('GET'))).toBe(0);
    } finally {
      await counted.close();
    }
  });
});

describe('an answer', () => {
  const READ = {
    'allow-origin': PAGE,
    'allow-methods': 'GET, HEAD',
    'expose-headers': 'ETag',
    'allow-credentials': 'true',
    vary: VARY,
  };

  beforeEach(async () => {
    await allow(allowing('GET HEAD', PAGE, '<ExposeHeader>ETag</ExposeHeader>'));
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/key`, body: 'bytes' })).toBe('200');
  });

  test.each([
    ['an object', 'owner', 'GET', '/key', '200'],
    ['a head', 'owner', 'HEAD', '/key', '200'],
    ['a listing', 'owner', 'GET', '', '200'],
    ['a missing key', 'owner', 'GET', '/none', '404 NoSuchKey'],
    ['a refusal', 'anonymous', 'GET', '/key', '403 AccessDenied'],
    ['what is no query', 'owner', 'GET', '/key?uploadId=1&acl', '400 InvalidArgument'],
    ['what the table does not have', 'owner', 'GET', '/key?uploads', '400 InvalidRequest'],
    ['what is not offered', 'owner', 'GET', '/key?torrent', '501 NotImplemented'],
  ] as const)('to a page that may read it: %s', async (...row) => {
    const [, caller, method, path, expected] = row;
    const answer = await send(gateway.port, caller, { method, target: `/${bucket}${path}`, headers: { origin: PAGE } });
    expect([outcome(answer), told(answer)]).toEqual([expected, READ]);
  });

  test('to a page whose signature is wrong', async () => {
    const headers = {
      origin: PAGE,
      authorization:
        'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0',
    };
    const answer = await send(gateway.port, 'anonymous', { method: 'GET', target: `/${bucket}/key`, headers });
    expect([answer.status >= 400, told(answer)]).toEqual([true, READ]);
  });

  test('to other pages and to no page is kept apart by caches', async () => {
    for (const headers of [{ origin: 'https://other.example.com' }, {}]) {
      expect(told(await send(gateway.port, 'owner', { method: 'GET', target: `/${bucket}/key`, headers }))).toEqual({
        vary: VARY,
      });
    }
    const other = await send(gateway.port, 'owner', {
      method: 'PUT',
      target: `/${bucket}/key`,
      headers: { origin: PAGE },
      body: 'x',
    });
    expect([other.status, told(other)]).toEqual([200, { vary: VARY }]);
  });

  test('that a copy takes long for has them', async () => {
    await allow(allowing('PUT', PAGE));
    const answer = await send(gateway.port, 'owner', {
      method: 'PUT',
      target: `/${bucket}/copy`,
      headers: { origin: PAGE, 'x-amz-copy-source': `/${bucket}/key` },
    });
    expect([answer.status, told(answer)['allow-origin']]).toEqual([200, PAGE]);
  });

  test('of a bucket without rules says nothing', async () => {
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?cors` })).toBe('204');
    await new Promise((done) => setTimeout(done, 30));
    expect(
      told(await send(gateway.port, 'owner', { method: 'GET', target: `/${bucket}/key`, headers: { origin: PAGE } })),
    ).toEqual({});
    expect(
      told(await send(gateway.port, 'owner', { method: 'GET', target: '/no-such-bucket', headers: { origin: PAGE } })),
    ).toEqual({});
    expect(told(await send(gateway.port, 'owner', { method: 'GET', target: '/', headers: { origin: PAGE } }))).toEqual(
      {},
    );
  });
});

describe("the server's rules", () => {
  let generous: TestGateway;
  beforeAll(async () => {
    generous = await startTestGateway({
      cors: [
        {
          allowedOrigins: ['https://*.example.com'],
          allowedMethods: ['GET'],
          allowedHeaders: ['*'],
          exposeHeaders: ['ETag'],
          maxAgeSeconds: 60,
        },
      ],
    });
    for (const name of ['plain', 'own']) {
      expect((await send(generous.port, 'owner', { method: 'PUT', target: `/${name}` })).status).toBe(200);
    }
    expect(
      (
        await send(generous.port, 'owner', {
          method: 'PUT',
          target: '/own?cors',
          body: document(allowing('DELETE', PAGE)),
        })
      ).status,
    ).toBe(200);
  });
  afterAll(() => generous.close());

  test.each([
    ['GET', '/plain/key', '200'],
    ['DELETE', '/plain/key', '403 AccessForbidden'],
    ['GET', '/own/key', '403 AccessForbidden'],
    ['DELETE', '/own/key', '200'],
    ['GET', '/no-such-bucket/key', '403 AccessForbidden'],
  ])('%s %s: %s', async (method, target, expected) => {
    expect(
      outcome(await send(generous.port, 'anonymous', { method: 'OPTIONS', target, headers: asking(method) })),
    ).toBe(expected);
  });

  test('are no setting of a bucket', async () => {
    expect(outcome(await send(generous.port, 'owner', { method: 'GET', target: '/plain?cors' }))).toBe(
      '404 NoSuchCORSConfiguration',
    );
    expect(
      told(await send(generous.port, 'anonymous', { method: 'GET', target: '/plain/key', headers: { origin: PAGE } }))[
        'allow-origin'
      ],
    ).toBe(PAGE);
  });
});

describe('whatever is sent', () => {
  const texts = fc.oneof(
    fc.constantFrom('*', '**', 'GET', 'a*b', PAGE, '', '\u00e9', '<', ']]>', '&#x0;', '&x;'),
    fc.string({ maxLength: 20 }),
  );
  const elements = fc
    .tuple(
      fc.constantFrom('ID', 'AllowedMethod', 'AllowedOrigin', 'AllowedHeader', 'ExposeHeader', 'MaxAgeSeconds', 'X'),
      texts,
    )
    .map(([name, text]) => `<${name}>${text}</${name}>`);
  const documents = fc
    .array(
      fc.array(elements, { maxLength: 8 }).map((list) => list.join('')),
      { maxLength: 4 },
    )
    .map((rules) => document(...rules));

  test('a document is kept as it was sent, or refused and nothing is changed', async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (body) => {
        const before = await get();
        const outcomeOfPut = await put(body);
        const after = await get();
        if (outcomeOfPut !== '200') {
          expect(outcomeOfPut).toMatch(/^400 (MalformedXML|InvalidRequest)$/);
          expect(after).toBe(before);
          return;
        }
        expect(await put(after)).toBe('200');
        expect(await get()).toBe(after);
      }),
      { numRuns: 150 },
    );
  });

  test('a preflight is answered, and never with a header that the rules do not give', async () => {
    await allow(allowing('GET', PAGE, '<AllowedHeader>x-*</AllowedHeader>'));
    const words = fc.string({
      unit: fc.constantFrom('a', 'A', 'x', 'X', '-', '*', ',', '.', ' ', '\t', '"', '\u00e9', ':', '/', 'https'),
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constant(PAGE), words),
        fc.oneof(fc.constant('GET'), words),
        words,
        async (origin, method, names) => {
          const answer = await preflight(`/${bucket}/key`, {
            origin: origin,
            'access-control-request-method': method,
            'access-control-request-headers': names,
          });
          const allowed =
            origin.trim() === PAGE &&
            method.trim() === 'GET' &&
            names.split(',').every((name) => name.trim() === '' || name.trim().toLowerCase().startsWith('x-'));
          expect([answer.status === 200, answer.headers['access-control-allow-origin']]).toEqual(
            allowed ? [true, PAGE] : [false, undefined],
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});
