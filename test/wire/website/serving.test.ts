import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { RateLimits } from '../../../src/access/rates/rate-limits.ts';
import '../../support/property-seed.ts';
import { outcome, send } from '../../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';

let gateway: TestGateway;
let bucket: string;
let made = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

beforeEach(async () => {
  bucket = `site-${++made}`;
  expect(
    (
      await send(gateway.port, 'owner', {
        method: 'PUT',
        target: `/${bucket}`,
        headers: { 'x-amz-acl': 'public-read' },
      })
    ).status,
  ).toBe(200);
});

const site = (content: string): string => `<WebsiteConfiguration>${content}</WebsiteConfiguration>`;
const INDEX = '<IndexDocument><Suffix>index.html</Suffix></IndexDocument>';
const ERROR = '<ErrorDocument><Key>error.html</Key></ErrorDocument>';
const rules = (...list: string[]): string =>
  `<RoutingRules>${list.map((rule) => `<RoutingRule>${rule}</RoutingRule>`).join('')}</RoutingRules>`;

async function configure(content: string): Promise<string> {
  const put = outcome(
    await send(gateway.port, 'owner', { method: 'PUT', target: `/${bucket}?website`, body: site(content) }),
  );
  await new Promise((done) => setTimeout(done, 30));
  return put;
}

async function configuration(): Promise<string> {
  const answer = await send(gateway.port, 'owner', { method: 'GET', target: `/${bucket}?website` });
  return answer.status === 200
    ? answer.body
        .replace('<?xml version="1.0" encoding="UTF-8"?>\n', '')
        .replace(' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"', '')
    : outcome(answer);
}

async function store(key: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const all = { 'x-amz-acl': 'public-read', 'content-type': 'text/html', ...headers };
  expect(
    (
      await send(gateway.port, 'owner', {
        method: 'PUT',
        target: `/${bucket}/${key}`,
        headers: all,
        body: `<p>${key}</p>`,
      })
    ).status,
  ).toBe(200);
}

function visit(path: string, method = 'GET', headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
  return send(gateway.port, 'anonymous', {
    method,
    target: path,
    headers: { host: `${bucket}.web.localhost`, ...headers },
  });
}

async function seen(path: string): Promise<string> {
  const { status, headers, body } = await visit(path);
  return headers['location'] === undefined
    ? `${status} ${/<li>Code: (\w+)</.exec(body)?.[1] ?? body}`
    : `${status} ${headers['location']}`;
}

describe('the configuration', () => {
  test('is none, what was set, none again', async () => {
    expect(await configuration()).toBe('404 NoSuchWebsiteConfiguration');
    const redirect =
      '<Redirect><HostName>other.example</HostName><HttpRedirectCode>302</HttpRedirectCode><Protocol>https</Protocol><ReplaceKeyPrefixWith>b/</ReplaceKeyPrefixWith></Redirect>';
    const whole = `${INDEX}${ERROR}${rules(`<Condition><HttpErrorCodeReturnedEquals>404</HttpErrorCodeReturnedEquals><KeyPrefixEquals>a/</KeyPrefixEquals></Condition>${redirect}`)}`;
    for (const content of [
      whole,
      '<RedirectAllRequestsTo><HostName>other.example</HostName></RedirectAllRequestsTo>',
    ]) {
      expect(await configure(content)).toBe('200');
      expect(await configuration()).toBe(site(content));
    }
    for (let again = 0; again < 2; again++) {
      expect((await send(gateway.port, 'owner', { method: 'DELETE', target: `/${bucket}?website` })).status).toBe(204);
    }
    expect(await configuration()).toBe('404 NoSuchWebsiteConfiguration');
  });

  test.each([
    ['nothing', '', '400 InvalidArgument'],
    ['an index with a slash', '<IndexDocument><Suffix>a/b</Suffix></IndexDocument>', '400 InvalidArgument'],
    ['an empty index', '<IndexDocument><Suffix></Suffix></IndexDocument>', '400 InvalidArgument'],
    ['an empty error document', `${INDEX}<ErrorDocument><Key/></ErrorDocument>`, '400 InvalidArgument'],
    [
      'both ways',
      `<RedirectAllRequestsTo><HostName>a</HostName></RedirectAllRequestsTo>${INDEX}`,
      '400 InvalidArgument',
    ],
    ['no rule in their list', `${INDEX}<RoutingRules></RoutingRules>`, '400 MalformedXML'],
    ...['300', '306', '399'].map((code) => [
      `the code ${code}`,
      `${INDEX}${rules(`<Redirect><HttpRedirectCode>${code}</HttpRedirectCode></Redirect>`)}`,
      '400 InvalidRequest',
    ]),
    ...['399', '418', '499', '506'].map((code) => [
      `the error ${code}`,
      `${INDEX}${rules(`<Condition><HttpErrorCodeReturnedEquals>${code}</HttpErrorCodeReturnedEquals></Condition><Redirect><HostName>a</HostName></Redirect>`)}`,
      '400 InvalidRequest',
    ]),
    [
      'a code in words',
      `${INDEX}${rules('<Redirect><HttpRedirectCode>3xx</HttpRedirectCode></Redirect>')}`,
      '400 MalformedXML',
    ],
    [
      'an error in words',
      `${INDEX}${rules('<Condition><HttpErrorCodeReturnedEquals>4xx</HttpErrorCodeReturnedEquals></Condition><Redirect><HostName>a</HostName></Redirect>')}`,
      '400 MalformedXML',
    ],
    ['a redirect nowhere', `${INDEX}${rules('<Redirect/>')}`, '400 MalformedXML'],
    [
      'no redirect',
      `${INDEX}${rules('<Condition><KeyPrefixEquals>a</KeyPrefixEquals></Condition>')}`,
      '400 MalformedXML',
    ],
    [
      'an empty condition',
      `${INDEX}${rules('<Condition/><Redirect><HostName>a</HostName></Redirect>')}`,
      '400 InvalidRequest',
    ],
    [
      'two replacements',
      `${INDEX}${rules('<Redirect><ReplaceKeyPrefixWith>a</ReplaceKeyPrefixWith><ReplaceKeyWith>b</ReplaceKeyWith></Redirect>')}`,
      '400 InvalidRequest',
    ],
    [
      'a code that is none',
      `${INDEX}${rules('<Redirect><HttpRedirectCode>200</HttpRedirectCode></Redirect>')}`,
      '400 InvalidRequest',
    ],
    [
      'an error that is none',
      `${INDEX}${rules('<Condition><HttpErrorCodeReturnedEquals>200</HttpErrorCodeReturnedEquals></Condition><Redirect><HostName>a</HostName></Redirect>')}`,
      '400 InvalidRequest',
    ],
    [
      'another protocol',
      '<RedirectAllRequestsTo><HostName>a</HostName><Protocol>ftp</Protocol></RedirectAllRequestsTo>',
      '400 InvalidRequest',
    ],
    [
      'a host that is none',
      '<RedirectAllRequestsTo><HostName>a&#xD;&#xA;Set-Cookie: b</HostName></RedirectAllRequestsTo>',
      '400 InvalidArgument',
    ],
    [
      '51 rules',
      `${INDEX}${rules(...Array<string>(51).fill('<Redirect><HostName>a</HostName></Redirect>'))}`,
      '400 InvalidRequest',
    ],
  ])('%s is refused', async (_name, content, expected) => {
    expect(await configure(INDEX)).toBe('200');
    expect(await configure(content)).toBe(expected);
    expect(await configuration()).toBe(site(INDEX));
  });

  test('of any elements is kept as it was sent, or refused and nothing is changed', async () => {
    const texts = fc.oneof(
      fc.constantFrom('a', '', '404', '301', 'http', 'a/', '\u00e9', '&#xD;&#xA;', '<x/>'),
      fc.string({ maxLength: 8 }),
    );
    const leaf = fc
      .tuple(
        fc.constantFrom('HostName', 'Protocol', 'HttpRedirectCode', 'ReplaceKeyWith', 'ReplaceKeyPrefixWith'),
        texts,
      )
      .map(([name, text]) => `<${name}>${text}</${name}>`);
    const contents = fc
      .array(
        fc.array(leaf, { maxLength: 4 }).map((list) => `<Redirect>${list.join('')}</Redirect>`),
        { maxLength: 3 },
      )
      .map((list) => `${INDEX}${rules(...list)}`);
    await fc.assert(
      fc.asyncProperty(contents, async (content) => {
        const before = await configuration();
        const put = outcome(
          await send(gateway.port, 'owner', { method: 'PUT', target: `/${bucket}?website`, body: site(content) }),
        );
        if (put !== '200') {
          expect([put, await configuration()]).toEqual([
            expect.stringMatching(/^400 (MalformedXML|Invalid(Request|Argument))$/),
            before,
          ]);
          return;
        }
        const { status, headers } = await visit('/any%0d%0akey');
        expect([status >= 200 && status < 500, headers['set-cookie']]).toEqual([true, undefined]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a website', () => {
  test('serves objects, index documents and the error document', async () => {
    expect(await seen('/')).toBe('404 NoSuchWebsiteConfiguration');
    await configure(INDEX + ERROR);
    for (const key of ['index.html', 'dir/index.html', 'a.html']) await store(key);
    expect([await seen('/'), await seen('/a.html'), await seen('/dir/')]).toEqual([
      '200 <p>index.html</p>',
      '200 <p>a.html</p>',
      '200 <p>dir/index.html</p>',
    ]);
    expect(await seen('/dir')).toBe('302 /dir/');
    expect(await seen('/none?versionId=x&acl')).toBe('404 NoSuchKey');
    await store('error.html');
    const missing = await visit('/none');
    expect([missing.status, missing.body, missing.headers['content-type']]).toEqual([
      404,
      '<p>error.html</p>',
      'text/html',
    ]);
    // Tried on S3 itself: the document may say that it lies elsewhere, and then the status is lost.
    await store('moved.html', { 'x-amz-website-redirect-location': '/another/error.html' });
    await configure(`${INDEX}<ErrorDocument><Key>moved.html</Key></ErrorDocument>`);
    expect(await seen('/none')).toBe('301 /another/error.html');
    expect((await visit('/a.html', 'HEAD')).headers['content-length']).toBe('13');
    expect((await visit('/a.html', 'GET', { range: 'bytes=0-2' })).body).toBe('<p>');
    const {
      headers: { etag = '' },
    } = await visit('/a.html');
    expect((await visit('/a.html', 'GET', { 'if-none-match': etag })).status).toBe(304);
  });

  test('says of an error document that is missing what S3 was recorded to say', async () => {
    await configure(`${INDEX}<ErrorDocument><Key>gone.html</Key></ErrorDocument>`);
    const { status, body } = await visit('/none');
    expect([status, body.replace(/(RequestId|HostId): [^<]*/g, '$1')]).toEqual([
      404,
      `<html>
<head><title>404 Not Found</title></head>
<body>
<h1>404 Not Found</h1>
<ul>
<li>Code: NoSuchKey</li>
<li>Message: The specified key does not exist.</li>
<li>Key: none</li>
<li>RequestId</li>
<li>HostId</li>
</ul>
<h3>An Error Occurred While Attempting to Retrieve a Custom Error Document</h3>
<ul>
<li>Code: NoSuchKey</li>
<li>Message: The specified key does not exist.</li>
<li>Key: gone.html</li>
</ul>
<hr/>
</body>
</html>
`,
    ]);
  });

  test('answers errors as pages that show nothing that was not sent', async () => {
    await configure(INDEX);
    const { status, headers, body } = await visit('/%3Cscript%3E');
    expect([status, headers['content-type'], headers['content-length']]).toEqual([
      404,
      'text/html; charset=utf-8',
      String(Buffer.byteLength(body)),
    ]);
    expect(body).toContain('<h1>404 Not Found</h1>');
    expect(body).toContain('<li>Key: &lt;script&gt;</li>');
    expect(body).not.toContain('<script>');
    expect(body).toContain(`<li>RequestId: ${headers['x-amz-request-id'] ?? ''}</li>`);
    expect((await visit('/none', 'HEAD')).body).toBe('');
  });

  test('shows nobody what only its owner may read, whatever is signed', async () => {
    await configure(INDEX);
    await store('secret', { 'x-amz-acl': 'private' });
    expect(await seen('/secret')).toBe('403 AccessDenied');
    const signed = await send(gateway.port, 'owner', {
      method: 'GET',
      target: '/secret',
      headers: { host: `${bucket}.web.localhost` },
    });
    expect(signed.status).toBe(403);
    expect(
      (
        await send(gateway.port, 'anonymous', {
          method: 'GET',
          target: '/',
          headers: { host: 'no-such-bucket.web.localhost' },
        })
      ).body,
    ).toContain('NoSuchBucket');
  });

  test.each(['PUT', 'POST', 'DELETE'])('is read only: %s', async (method) => {
    await configure(INDEX);
    await store('index.html');
    const answer = await send(gateway.port, 'owner', {
      method,
      target: '/index.html',
      headers: { host: `${bucket}.web.localhost` },
    });
    expect([answer.status, answer.headers['allow'], answer.body]).toEqual([
      405,
      'GET, HEAD',
      expect.stringContaining('MethodNotAllowed'),
    ]);
    expect(await seen('/')).toBe('200 <p>index.html</p>');
  });

  test('sends elsewhere', async () => {
    const host = `http://${bucket}.web.localhost`;
    await store('old.html', { 'x-amz-website-redirect-location': 'https://new.example/x' });
    await store('index.html');
    await configure(
      INDEX +
        rules(
          '<Condition><KeyPrefixEquals>docs/</KeyPrefixEquals></Condition><Redirect><ReplaceKeyPrefixWith>documents/</ReplaceKeyPrefixWith></Redirect>',
          '<Condition><KeyPrefixEquals>one</KeyPrefixEquals></Condition><Redirect><ReplaceKeyWith>error \u00e9.html</ReplaceKeyWith><HttpRedirectCode>307</HttpRedirectCode></Redirect>',
          '<Condition><HttpErrorCodeReturnedEquals>404</HttpErrorCodeReturnedEquals><KeyPrefixEquals>lost/</KeyPrefixEquals></Condition><Redirect><HostName>found.example</HostName><Protocol>https</Protocol></Redirect>',
        ),
    );
    expect(await seen('/docs/a%20b')).toBe(`301 ${host}/documents/a%20b`);
    expect(await seen('/one/x')).toBe(`307 ${host}/error%20%C3%A9.html`);
    expect(await seen('/lost/x')).toBe('301 https://found.example/lost/x');
    expect(await seen('/none')).toBe('404 NoSuchKey');
    expect(await seen('/old.html')).toBe('301 https://new.example/x');
    await configure(
      '<RedirectAllRequestsTo><HostName>all.example</HostName><Protocol>https</Protocol></RedirectAllRequestsTo>',
    );
    expect([await seen('/'), await seen('/a/b')]).toEqual(['301 https://all.example/', '301 https://all.example/a/b']);
  });

  test('tells pages of other origins what the rules of the bucket allow', async () => {
    await configure(INDEX);
    await store('index.html');
    const cors =
      '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>';
    await send(gateway.port, 'owner', { method: 'PUT', target: `/${bucket}?cors`, body: cors });
    await new Promise((done) => setTimeout(done, 30));
    expect((await visit('/', 'GET', { origin: 'https://p.example' })).headers['access-control-allow-origin']).toBe('*');
    expect(
      (await visit('/', 'OPTIONS', { origin: 'https://p.example', 'access-control-request-method': 'GET' })).headers[
        'access-control-allow-origin'
      ],
    ).toBe('*');
  });
});

test('visitors are held to the rates of anonymous callers', async () => {
  const accounts = { ratesOf: () => undefined };
  const rates = new RateLimits({ accounts, anonymous: { requestsPerSecond: 2 }, ofBucket: () => undefined });
  const limited = await startTestGateway({ rates });
  try {
    const visits = Array.from({ length: 12 }, () =>
      send(limited.port, 'anonymous', { method: 'GET', target: '/', headers: { host: `${bucket}.web.localhost` } }),
    );
    const told = (await Promise.all(visits)).filter(({ status }) => status === 503);
    expect(told.length).toBeGreaterThan(0);
    expect(told.every(({ headers }) => headers['retry-after'] !== undefined)).toBe(true);
    for (const { headers, body } of told) {
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(body).toContain('<li>Code: SlowDown</li>');
    }
  } finally {
    await limited.close();
  }
});
