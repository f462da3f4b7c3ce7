import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { bulkPacer } from '../../../src/streams/bulk-pacer.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';

const MIB = 1024 * 1024;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await ask('PUT', '/bucket');
  await ask('PUT', '/bucket/small', 'x');
  await ask('PUT', '/bucket/large', 'x'.repeat(MIB));
});

afterAll(() => gateway.close());
afterEach(() => vi.restoreAllMocks());

async function ask(method: string, target: string, body = ''): Promise<number> {
  const headers = body === '' && method !== 'PUT' ? {} : { 'content-length': String(body.length) };
  return (await roundTrip(gateway.port, signedHead({ method, target, headers }) + body, method)).status;
}

/** What the pacer is told from here on. */
function told(): string[] {
  const heard: string[] = [];
  vi.spyOn(bulkPacer, 'smallBegan').mockImplementation(() => heard.push('began'));
  vi.spyOn(bulkPacer, 'smallOver').mockImplementation((turnedOut) => heard.push(turnedOut));
  return heard;
}

test.each([
  [{ method: 'GET', target: '/bucket/small', body: '', status: 200 }, ['began', 'small']],
  [{ method: 'HEAD', target: '/bucket/large', body: '', status: 200 }, ['began', 'small']],
  [{ method: 'GET', target: '/bucket/missing', body: '', status: 404 }, ['began', 'small']],
  [{ method: 'GET', target: '/bucket?list-type=2', body: '', status: 200 }, ['began', 'small']],
  [{ method: 'PUT', target: '/bucket/put', body: 'x'.repeat(1000), status: 200 }, ['began', 'small']],
  [{ method: 'GET', target: '/bucket/large', body: '', status: 200 }, ['began', 'large']],
  [{ method: 'PUT', target: '/bucket/put', body: 'x'.repeat(MIB), status: 200 }, []],
])(
  'of $method $target the pacer of large bodies hears what it is',
  async ({ method, target, body, status }, expected) => {
    const heard = told();
    expect(await ask(method, target, body)).toBe(status);
    await vi.waitFor(() => expect(heard).toEqual(expected));
  },
);

test('a small upload whose client leaves in its middle is counted until then', async () => {
  const heard = told();
  const connection = await RawConnection.open(gateway.port);
  connection.send(signedHead({ method: 'PUT', target: '/bucket/half', headers: { 'content-length': '1000' } }) + 'x');
  await vi.waitFor(() => expect(heard).toEqual(['began']));
  connection.close();
  await vi.waitFor(() => expect(heard).toEqual(['began', 'small']));
});
