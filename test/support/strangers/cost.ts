import { RawConnection } from '../clients/raw-http.ts';
import type { GatewayProcess } from './gateway-process.ts';
import type { StrangersRequest } from './requests.ts';

/** What one request costs the gateway, everything that watches it included. */
export interface Cost {
  readonly cpuMs: number;
  /** Memory that was used, garbage or not. */
  readonly bytes: number;
}

interface Measurement {
  /** Of the request, about. */
  readonly bytes: number;
  /** Requests in each round. */
  readonly repeats: number;
  readonly rounds: number;
}

/** Sends it so often, one after the other, each on a connection of its own. @returns the mean */
export async function costOf(gateway: GatewayProcess, bytes: string, repeats: number): Promise<Cost> {
  const text = Buffer.from(bytes, 'latin1');
  const before = await gateway.usage();
  for (let sent = 0; sent < repeats; sent += 1) await sendOnce(gateway.port, text);
  const after = await gateway.usage();
  return { cpuMs: (after.cpuMs - before.cpuMs) / repeats, bytes: (after.heldBytes - before.heldBytes) / repeats };
}

/**
 * The smallest of several measurements of time, as others use the machine, too; the largest of memory, as some is
 * collected meanwhile.
 */
export async function leastCost(
  gateway: GatewayProcess,
  { make }: StrangersRequest,
  { bytes, repeats, rounds }: Measurement,
): Promise<Cost> {
  let least: Cost = { cpuMs: Infinity, bytes: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const { cpuMs, bytes: held } = await costOf(gateway, make(bytes), repeats);
    least = { cpuMs: Math.min(least.cpuMs, cpuMs), bytes: Math.max(least.bytes, held) };
  }
  return least;
}

/** Whatever the answer, as long as there is one, or the connection ends. */
export async function sendOnce(port: number, bytes: Buffer): Promise<number> {
  const connection = await RawConnection.open(port);
  try {
    connection.send(bytes);
    return (await connection.answer()).status;
  } catch {
    return 0;
  } finally {
    connection.close();
  }
}
