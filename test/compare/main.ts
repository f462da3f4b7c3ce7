import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startAzurite } from '../../adapters/doubles/index.ts';
import { ACCEPTANCE_STEPS, type Stage } from '../../src/main/prove/acceptance-steps.ts';
import { PEER_OPTIONS } from '../bench/servers/peer-servers.ts';
import { GOOD, PROBES, type Pair } from './probes.ts';
import { type RunningServer, type ServerKind, serverKinds } from './servers.ts';

const WITHIN_MS = 20 * 60_000;
const CONFORMANCE = 'Conformance';
const SAFETY = 'Safety';

/** What one server did: each question, and what was seen. */
type Results = ReadonlyMap<string, string>;

interface Compared {
  readonly name: string;
  readonly [CONFORMANCE]: Results;
  readonly [SAFETY]: Results;
}

/**
 * `npm run compare -- --s3proxy DIR --versitygw FILE --rclone FILE`: this gateway and other S3 servers, each over an
 * Azurite of its own, asked the same. Prints tables in Markdown.
 */
export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...argv], options: PEER_OPTIONS });
  const signal = AbortSignal.timeout(WITHIN_MS);
  const compared: Compared[] = [];
  for (const kindOn of serverKinds({
    s3proxy: values.s3proxy,
    versitygw: values.versitygw,
    rclone: values.rclone,
  })) {
    const folder = mkdtempSync(join(tmpdir(), 'compare-'));
    const azurite = await startAzurite({ folder: join(folder, 'azurite'), anyApiVersion: true });
    try {
      compared.push(await compare(kindOn({ azurite, folder, signal })));
    } finally {
      await azurite.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  for (const subject of [CONFORMANCE, SAFETY] as const) process.stdout.write(tableOf(subject, compared));
  process.exit(0);
}

async function compare(kind: ServerKind): Promise<Compared> {
  process.stderr.write(`${kind.name}\n`);
  const running: { first: RunningServer; second: RunningServer } = {
    first: await kind.start(),
    second: await kind.start(),
  };
  const restart = async (): Promise<RunningServer> => {
    await running.first.kill();
    running.first = await kind.start();
    return running.first;
  };
  try {
    const conformance = await conformanceOf(running.first, restart);
    const pair: Pair = {
      ...{ bucket: 'compare-safety', first: running.first, second: running.second },
      restart: async (moment) => {
        await moment;
        pair.first = await restart();
      },
    };
    await pair.first.client.send('PUT', `/${pair.bucket}`);
    const safety = new Map<string, string>();
    for (const { asks, run } of PROBES) {
      safety.set(asks, await run(pair).catch(messageOf));
      process.stderr.write(`  ${asks}: ${safety.get(asks) ?? ''}\n`);
    }
    return { name: kind.name, [CONFORMANCE]: conformance, [SAFETY]: safety };
  } finally {
    await running.first.kill();
    await running.second.kill();
  }
}

/** The steps of `npm run prove`, each whatever became of those before. */
async function conformanceOf(first: RunningServer, restart: () => Promise<RunningServer>): Promise<Results> {
  const results = new Map<string, string>();
  const stage: Stage = {
    ...{ bucket: 'compare-conformance', client: first.client, kept: new Map() },
    restart: async () => (await restart()).client,
  };
  for (const { step, run } of ACCEPTANCE_STEPS) {
    results.set(step, await run(stage).then(() => GOOD, messageOf));
    process.stderr.write(`  ${step}: ${results.get(step) ?? ''}\n`);
  }
  return results;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tableOf(subject: typeof CONFORMANCE | typeof SAFETY, compared: readonly Compared[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
  const questions = [...(compared[0]?.[subject].keys() ?? [])];
  const rows = questions.map((question) => [
    question,
    ...compared.map(({ [subject]: results }) =>
      results.get(question) === GOOD ? 'yes' : (results.get(question) ?? ''),
    ),
  ]);
  const all = compared.map(({ [subject]: results }) => {
    const good = [...results.values()].filter((seen) => seen === GOOD).length;
    return `${good} of ${questions.length}`;
  });
  const head = [line([subject, ...compared.map(({ name }) => name)]), `|${'---|'.repeat(compared.length + 1)}\n`];
  return [...head, ...rows.map(line), line(['**all**', ...all]), '\n'].join('');
}
