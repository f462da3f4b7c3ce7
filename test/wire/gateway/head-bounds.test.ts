import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_HEADER_LINES, MAX_QUERY_PARAMETERS } from '../../../src/gateway/head-bounds.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  expect(
    (
      await roundTrip(
        gateway.port,
        signedHead({ method: 'PUT', target: '/bucket', headers: { 'content-length': '0' } }),
      )
    ).status,
  ).toBe(200);
});

afterAll(() => gateway.close());

function codeOf({ body }: RawAnswer): string | undefined {
  return /<Code>(.*)<\/Code>/.exec(body)?.[1];
}

/** A head with as many lines as asked for, those that the signature needs among them. */
function withLines(count: number): string {
  const head = signedHead({ target: '/bucket?list-type=2' }).trimEnd();
  const own = head.split('\r\n').length - 1;
  return `${head}\r\n${'a:\r\n'.repeat(count - own)}\r\n`;
}

function withParameters(count: number): string {
  const others = Array.from({ length: count - 1 }, (_, index) => `p${String(index).padStart(3, '0')}=`).join('&');
  return signedHead({ target: `/bucket?list-type=2&${others}` });
}

describe('the parts of a head', () => {
  test('header lines up to a number', async () => {
    expect((await roundTrip(gateway.port, withLines(MAX_HEADER_LINES))).status).toBe(200);
    for (const count of [MAX_HEADER_LINES + 1, MAX_HEADER_LINES + 50, 5000]) {
      const answer = await roundTrip(gateway.port, withLines(count));
      expect([count, answer.status, codeOf(answer)]).toEqual([count, 400, 'RequestHeaderSectionTooLarge']);
    }
  });

  test('query parameters up to a number', async () => {
    expect((await roundTrip(gateway.port, withParameters(MAX_QUERY_PARAMETERS))).status).toBe(200);
    const answer = await roundTrip(gateway.port, withParameters(MAX_QUERY_PARAMETERS + 1));
    expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidArgument']);
  });

  test('all of it up to 16 KiB', async () => {
    const answer = await roundTrip(gateway.port, `GET / HTTP/1.1\r\nHost: h\r\na: ${'v'.repeat(17_000)}\r\n\r\n`);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'RequestHeaderSectionTooLarge']);
  });
});

describe('an error echoes in part only', () => {
  test.each([
    ['a path', `GET /${'"'.repeat(12_000)} HTTP/1.1\r\nHost: h\r\n\r\n`],
    ['a header', `GET / HTTP/1.1\r\nHost: h\r\nx-amz-content-sha256: ${'"'.repeat(12_000)}\r\n\r\n`],
    ['an access key', `GET /?AWSAccessKeyId=${'a'.repeat(12_000)} HTTP/1.1\r\nHost: h\r\n\r\n`],
  ])('%s', async (_, head) => {
    const answer = await roundTrip(gateway.port, head);
    expect(answer.status).toBe(400);
    expect(answer.body.length).toBeLessThan(60_000);
  });
});

test('a head that kills by its canonical text is refused at once, also when it is presigned', async () => {
  const { amzDate, scope } = {
    amzDate: new Date().toISOString().replaceAll(/[-:]|\.\d+/g, ''),
    scope: `${new Date().toISOString().slice(0, 10).replaceAll('-', '')}/us-east-1/s3/aws4_request`,
  };
  const names = Array.from({ length: 3000 }, () => 'a').join(';');
  const lines = 'a:b\r\n'.repeat(3000);
  const common = `Host: localhost\r\nx-amz-date: ${amzDate}\r\nx-amz-content-sha256: UNSIGNED-PAYLOAD\r\n`;
  const credential = `NOBODY/${scope}`;
  const heads = [
    `GET / HTTP/1.1\r\n${common}Authorization: AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${names},Signature=${'0'.repeat(64)}\r\n${lines}\r\n`,
    `GET /?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${credential}&X-Amz-Date=${amzDate}&X-Amz-Expires=9&X-Amz-SignedHeaders=${names}` +
      `&X-Amz-Signature=${'0'.repeat(64)} HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`,
  ];
  const before = process.cpuUsage();
  for (const head of heads) expect((await roundTrip(gateway.port, head)).status).toBe(400);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
});
