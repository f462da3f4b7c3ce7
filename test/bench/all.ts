/**
 * The whole programme in one go, each part a process of its own and bounded in time: everything that
 * docs/benchmark-figures.md tells, in one Markdown file.
 */
import { parseArgs } from 'node:util';
import { mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { machine, machineLine } from './machine.ts';
import { withFigures, withSection } from './measuring/markdown.ts';
import { between } from './options.ts';
import { partsOf, type Part } from './parts.ts';
import { PEER_OPTIONS, type PeerPrograms, peerPrograms } from './servers/peer-servers.ts';
import { runBench } from './run-bench.ts';
import { runPart } from './run-part.ts';

const DOCS = resolve(import.meta.dirname, '../../docs/benchmark-figures.md');

interface AllOptions {
  readonly out: string;
  /** Put the figures into docs/benchmark-figures.md. */
  readonly docs: boolean;
  /** Names of parts; empty: all. */
  readonly only: readonly string[];
  /** Minutes of everything together. */
  readonly within: number;
  /** One short round and small files: to see that all of it works, not how fast. */
  readonly quick: boolean;
  readonly programs: PeerPrograms;
  readonly crtPython: string | undefined;
}

const USAGE = `usage: npm run bench:all -- [--docs] [--out DIR] [--s3proxy DIR] [--versitygw FILE] [--rclone FILE] [--crt-python FILE]
                             [--within MINUTES] [--only PART[,PART...]] [--quick]

Runs every part of the bench, one after the other, and writes DIR/benchmarks.md after each.

  --docs    put the figures into docs/benchmark-figures.md in the end, in place of those that stand there; with
            --only those of the other parts stay
  --out     folder for figures, logs and profiles (s3gw-bench below the folder for temporary files)
  --within  minutes of all together, 1 to 600 (80); a part for which too little is left is left out, and told
  --only    parts by name: main, tls, gcs, memory, fair, slow, transfers, observed, policies
  --quick   one short round of each, small files: shows that all of it works, not how fast`;

function parseOptions(argv: readonly string[]): AllOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      out: { type: 'string', default: join(tmpdir(), 's3gw-bench') },
      docs: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      within: { type: 'string', default: '80' },
      quick: { type: 'boolean', default: false },
      'crt-python': { type: 'string' },
      ...PEER_OPTIONS,
    },
  });
  return {
    out: resolve(values.out),
    docs: values.docs,
    only: values.only.split(',').filter((name) => name !== ''),
    within: between('--within', values.within, 1, 600),
    quick: values.quick,
    programs: peerPrograms(values),
    crtPython: values['crt-python'],
  };
}

const LEAST_MINUTES = 0.7;

async function benchAll(options: AllOptions): Promise<void> {
  const began = performance.now();
  const minutesLeft = (): number => options.within - (performance.now() - began) / 60_000;
  mkdirSync(options.out, { recursive: true });
  const sections = [`${machineLine(machine())}\n`];
  const file = join(options.out, 'benchmarks.md');
  for (const part of partsOf(options)) {
    if (options.only.length > 0 && !options.only.includes(part.name)) continue;
    process.stderr.write(`${part.name}, at most ${part.minutes} minutes\n`);
    sections.push(await sectionOf(part, Math.min(part.minutes, minutesLeft()), options));
    writeFileSync(file, sections.join('\n'));
  }
  if (options.docs) writeFileSync(DOCS, pageWith(readFileSync(DOCS, 'utf8'), sections, options));
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  process.stdout.write(`${file}, ${minutes} minutes\n`);
}

/** Of a whole run all figures are new; of some parts the others stay. */
function pageWith(page: string, sections: readonly string[], { only }: AllOptions): string {
  if (only.length === 0) return withFigures(page, sections.join('\n'));
  return sections.slice(1).reduce(withSection, page);
}

async function sectionOf(part: Part, minutes: number, { out }: AllOptions): Promise<string> {
  const heading = `### ${part.title}\n\n`;
  const shown = part.args.map((arg) => (arg.startsWith('/') ? 'PATH' : arg)).join(' ');
  if (minutes < LEAST_MINUTES) return `${heading}Not measured: no time was left.\n`;
  const { text, problem, seconds } = await runPart(part, {
    minutes,
    log: join(out, `${part.name}.log`),
    folder: bigFolder(),
  });
  const told = problem === undefined ? '' : `**${problem}**\n\n`;
  return `${heading}\`${part.script} -- ${shown}\`, ${seconds.toFixed(0)} s\n\n${told}${text}`;
}

/** In memory where there is room: the files of transfers are not to wait for a disk. */
function bigFolder(): string {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > 12 * 1024 ** 3 ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

await runBench({ argv: process.argv.slice(2), parse: parseOptions, usage: USAGE }, benchAll);
