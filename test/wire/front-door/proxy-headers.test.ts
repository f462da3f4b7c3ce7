import { afterAll, beforeAll, expect, test } from 'vitest';
import { RequestObservers } from '../../../src/observe/request-observers.ts';
import { outcome } from '../../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';
import { Random } from '../../support/random.ts';
import { type RawAnswer, RawConnection } from '../../support/clients/raw-http.ts';
import { SILENT } from '../../support/silent-log.ts';
import { OTHER_ACCESS_KEY, signedHead } from '../../support/clients/sign-raw.ts';

/*
 * PROXY headers as balancers write them, and as nobody should: cut anywhere, altered, with more behind the addresses
 * than anybody sends, and IPv4 clients that came to a balancer over IPv6.
 */
const SIGNATURE = '0d0a0d0a000d0a515549540a';
const FOUR = 'c00002070a0000011f900050';
const MAPPED = `${'0'.repeat(20)}ffffc0000207${'0'.repeat(20)}ffff0a0000011f900050`;
const seen: string[] = [];
let gateway: TestGateway;

beforeAll(async () => {
  const observers = new RequestObservers(SILENT);
  observers.add({ ended: ({ clientAddress }) => void seen.push(clientAddress ?? '') });
  gateway = await startTestGateway({
    proxyProtocol: { ranges: ['127.0.0.1'], timeoutMs: 700 },
    observers,
    bucketCacheMs: 1,
  });
});
afterAll(() => gateway.close());

function binary(head: string, variable: string, length = variable.length / 2): Buffer {
  return Buffer.from(`${SIGNATURE}${head}${length.toString(16).padStart(4, '0')}${variable}`, 'hex');
}

const LINE = Buffer.from('PROXY TCP4 192.0.2.7 10.0.0.1 8080 80\r\n');
const list = signedHead({ target: '/' });

/** @returns undefined: the connection ended without an answer */
async function ask(...pieces: readonly (string | Buffer)[]): Promise<RawAnswer | undefined> {
  const connection = await RawConnection.open(gateway.port);
  try {
    for (const piece of pieces) {
      connection.send(piece);
      await new Promise((done) => setTimeout(done, pieces.length > 1 ? 2 : 0));
    }
    return await connection.answer().catch(() => undefined);
  } finally {
    connection.close();
  }
}

test.each([
  ['line', LINE],
  ['binary', binary('2111', `${FOUR}${'ea0005010a0b0c0d'.repeat(6)}`)],
])('a %s is the same wherever it is cut', async (_name, header) => {
  seen.length = 0;
  const whole = Buffer.concat([header, Buffer.from(list)]);
  const cuts = Array.from({ length: header.length + 20 }, (_none, at) => at);
  const answers = await Promise.all(cuts.map((at) => ask(whole.subarray(0, at), whole.subarray(at))));
  expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([200]));
  await expect.poll(() => seen.length).toBe(cuts.length);
  expect(new Set(seen)).toEqual(new Set(['192.0.2.7']));
});

test('what stands behind the addresses is skipped up to its bound', async () => {
  const sizes = [0, 1, 2, 3, 100, 4084, 4085, 65_000];
  const statuses = await Promise.all(
    sizes.map(async (size) => (await ask(binary('2111', `${FOUR}${'ff'.repeat(size)}`), list))?.status),
  );
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, undefined, undefined]);
});

test('altered ones are read or end the connection', async () => {
  const random = new Random(7);
  const altered = Array.from({ length: 400 }, (_none, at) => {
    const bytes = Buffer.from(at % 2 === 0 ? LINE : binary('2111', FOUR));
    for (let flips = 0; flips <= at % 3; flips += 1) bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  });
  const answers = await Promise.all(altered.map((bytes) => ask(Buffer.concat([bytes, Buffer.from(list)]))));
  const statuses = answers.map((answer) => answer?.status);
  expect(statuses.filter((status) => status !== undefined && ![200, 400, 405].includes(status))).toEqual([]);
  expect(statuses.filter((status) => status === undefined).length).toBeGreaterThan(100);
  expect((await ask(Buffer.concat([LINE, Buffer.from(list)])))?.status).toBe(200);
});

test('policies know an IPv4 client that came to the balancer over IPv6', async () => {
  const policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::walled/*' },
      {
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:GetObject',
        Resource: 'arn:aws:s3:::walled/*',
        Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } },
      },
    ],
  });
  const elsewhere = 'PROXY TCP4 198.51.100.1 10.0.0.1 1 1\r\n';
  for (const [target, body] of [
    ['/walled', ''],
    ['/walled?policy', policy],
    ['/walled/key', 'bytes'],
  ] as const) {
    const head = signedHead({ method: 'PUT', target, headers: { 'content-length': String(body.length) } });
    expect([200, 204]).toContain((await ask(`${elsewhere}${head}${body}`))?.status);
  }
  const get = signedHead({ target: '/walled/key', accessKey: OTHER_ACCESS_KEY });
  expect((await ask(elsewhere + get))?.status).toBe(200);
  for (const header of [
    LINE,
    binary('2111', FOUR),
    binary('2121', MAPPED),
    'PROXY TCP6 ::ffff:192.0.2.7 ::ffff:10.0.0.1 1 1\r\n',
    'PROXY TCP6 ::FFFF:C000:0207 ::ffff:10.0.0.1 1 1\r\n',
  ]) {
    const answer = await ask(Buffer.concat([Buffer.from(header), Buffer.from(get)]));
    expect(answer && outcome(answer)).toBe('403 AccessDenied');
  }
});
