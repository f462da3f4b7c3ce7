import { afterAll, beforeAll, expect, test } from 'vitest';
import { leastCost, sendOnce } from '../../support/strangers/cost.ts';
import { GatewayProcess } from '../../support/strangers/gateway-process.ts';
import { FURTHER_REQUESTS } from '../../support/strangers/bodies.ts';
import { STRANGERS_REQUESTS, type StrangersRequest } from '../../support/strangers/requests.ts';

const REQUESTS = [...STRANGERS_REQUESTS, ...FURTHER_REQUESTS];
/** Twice the bytes may cost at most so many times the work. */
const GROWTH = 2.5;
const SMALL = 7000;
/** What takes less is noise, milliseconds. */
const FLOOR_MS = 6;
/**
 * A measurement that looks bad is made anew, and so often: others use the machine, too, and the least of all counts.
 */
const ROUNDS = [1, 6, 24];
const AT_A_TIME = 16;

let gateway: GatewayProcess;

beforeAll(async () => {
  // As the chart sizes it: half of 384 MiB.
  gateway = await GatewayProcess.start(['--max-old-space-size=192', '--max-semi-space-size=16']);
  for (let warm = 0; warm < 200; warm += 1) {
    await sendOnce(gateway.port, Buffer.from('GET /bucket/key HTTP/1.1\r\nHost: localhost\r\n\r\n'));
  }
});

afterAll(() => gateway.stop());

test('twice the bytes are at most two and a half times the work, whatever is repeated, nested, long or escaped', async () => {
  const beyond: string[] = [];
  for (const request of REQUESTS) {
    const found = await growthOf(request);
    if (found !== undefined) beyond.push(found);
  }
  expect(beyond).toEqual([]);
}, 180_000);

async function growthOf(request: StrangersRequest): Promise<string | undefined> {
  let small = 0;
  let large = 0;
  for (const rounds of ROUNDS) {
    large = (await leastCost(gateway, request, { bytes: 2 * SMALL, repeats: 2, rounds })).cpuMs;
    if (large <= GROWTH * FLOOR_MS) return undefined;
    small = (await leastCost(gateway, request, { bytes: SMALL, repeats: 2, rounds })).cpuMs;
    if (large <= GROWTH * Math.max(small, FLOOR_MS)) return undefined;
  }
  return `${request.name}: ${small.toFixed(1)} ms, twice as long ${large.toFixed(1)} ms`;
}

test('all of them at once, and four times as long, end no process and leave nothing behind', async () => {
  const before = await gateway.usage('collect');
  const waiting = REQUESTS.flatMap(({ make }) => [make(2 * SMALL), make(8 * SMALL)]);
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        await sendOnce(gateway.port, Buffer.from(next, 'latin1'));
      }
    }),
  );
  expect(gateway.alive).toBe(true);
  expect(await sendOnce(gateway.port, Buffer.from('GET /bucket/key HTTP/1.1\r\nHost: localhost\r\n\r\n'))).toBe(404);
  const after = await gateway.usage('collect');
  // The journal may fill up: eight MiB. All else is let go.
  expect(after.heldBytes - before.heldBytes).toBeLessThan(24 * 2 ** 20);
}, 120_000);
