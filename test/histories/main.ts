import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBackend } from '../testbed/backend.ts';
import { describeAccounts } from '../testbed/main.ts';
import { parseOptions as testbedOptions } from '../testbed/options.ts';
import { BadNetwork } from './bad-network.ts';
import type { Account } from './client.ts';
import { Episodes } from './episodes.ts';
import { Fleet } from './fleet.ts';
import { judge } from './judge.ts';
import { type HistoriesOptions, parseOptions } from './options.ts';
import { Random } from '../support/random.ts';
import { makeTrouble, rollOver } from './trouble.ts';
import { HELD_BYTES } from './workload.ts';

/** Of all calls, those whose client does not wait for the answer. */
const LEAVES = 0.3;
/** Longer than anything that is late. */
const SETTLED_MS = 3000;
const SHORT_DRAIN_MS = 200;
/** That Azurite takes to bring archived bytes back. */
const RESTORE_SECONDS = '1';
/** Of violations that are printed. */
const MOST_LINES = 20;

/**
 * Real gateway processes over one backend, behind a network that loses, delays and breaks what passes; replicas are
 * killed and stopped, their clocks step, and clients hang up. What every client did and heard is a history, and each
 * key's must fit one order of events.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const options = parseOptions(argv);
  const random = new Random(options.seed);
  const network = new BadNetwork(random);
  if (options.rolling) network.calm();
  const args = ['--backend', options.backend, ...(options.tiers ? ['--tiers', RESTORE_SECONDS] : [])];
  const backend = await startBackend({ ...testbedOptions(args), plan: network.plan });
  try {
    const fleet = await Fleet.start({
      replicas: options.replicas,
      settings: { ...backend.settings, ...settingsOf(options) },
    });
    try {
      process.exitCode = (await run({ options, random, network, fleet })) ? 0 : 1;
    } finally {
      await fleet.stop();
    }
  } finally {
    await backend.stop();
  }
}

function settingsOf({ rolling }: HistoriesOptions): Record<string, string> {
  return {
    S3GW_LIMITS: JSON.stringify({ heldBodyBytes: HELD_BYTES }),
    ...(rolling && { S3GW_TIMEOUTS: JSON.stringify({ drainMs: SHORT_DRAIN_MS }) }),
    S3GW_LOG_LEVEL: 'error',
  };
}

interface Stage {
  readonly options: HistoriesOptions;
  readonly random: Random;
  readonly network: BadNetwork;
  readonly fleet: Fleet;
}

async function run({ options, random, network, fleet }: Stage): Promise<boolean> {
  const { ports } = fleet;
  const episodes = new Episodes({
    account: mainAccount(),
    ports,
    clients: options.clients,
    leaves: options.rolling ? 0 : LEAVES,
    tiers: options.tiers,
    random,
  });
  const enough = new AbortController();
  const make = options.rolling ? rollOver(fleet, enough.signal) : makeTrouble(fleet, random, enough.signal);
  // A replica that does not come back ends the run: clients stop, and it is said why.
  const trouble = make.finally(() => enough.abort());
  trouble.catch(() => undefined);
  await episodes.run({ ...options, signal: enough.signal, onProgress: print });
  enough.abort();
  await trouble;
  await fleet.quiet();
  network.calm();
  for (const index of ports.keys()) await fleet.skew(index, 0);
  await sleep(SETTLED_MS);
  await episodes.readAll();
  episodes.close();
  const { recorded } = episodes;
  const silent = recorded.filter(({ answer }) => answer === undefined).length;
  print(
    `seed ${options.seed}, ${options.backend}: ${recorded.length} calls in ${episodes.episodes.length} buckets, ${silent} without an answer (${episodes.left} clients left)`,
  );
  print(`replicas: ${describe(fleet.done)}; faults: ${describe(network.met)}`);
  if (options.out !== undefined) {
    writeFileSync(options.out, JSON.stringify({ episodes: episodes.episodes, recorded }));
  }
  const { wrong, undecided, keys } = judge(episodes.episodes, recorded);
  for (const line of [...wrong, ...undecided].slice(0, MOST_LINES)) print(line);
  print(`${keys} keys judged, ${undecided.length} undecided, ${wrong.length} violations`);
  return wrong.length === 0;
}

function mainAccount(): Account {
  const [{ accessKey, secretKey } = { accessKey: undefined, secretKey: undefined }] = describeAccounts().accounts;
  if (accessKey === undefined || secretKey === undefined) throw new Error('the test bed has no account');
  return { accessKey, secretKey };
}

function describe(counts: Readonly<Record<string, number>>): string {
  return (
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ') || 'none'
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
