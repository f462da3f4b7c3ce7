import { benchAgainstProxy } from './runs/against-proxy.ts';
import { benchBesideSlow, besideSlowLines } from './runs/beside-slow.ts';
import { benchFair, fairLines } from './runs/fair.ts';
import { machine, type Machine, machineLine } from './machine.ts';
import { markdown } from './measuring/markdown.ts';
import { benchMemory, memoryLine } from './runs/memory.ts';
import type { Measured } from './measuring/measure.ts';
import { parseOptions, USAGE } from './options.ts';
import { benchObserved } from './runs/observed.ts';
import type { BenchOptions } from './options.ts';
import { benchPolicies } from './runs/policies.ts';
import { type Sides, table } from './measuring/report.ts';
import { runBench } from './run-bench.ts';
import { benchWorkers } from './runs/workers.ts';

export function main(argv: readonly string[]): Promise<void> {
  return runBench({ argv, parse: parseOptions, usage: USAGE }, async (options) => {
    process.stdout.write(await measuredText(options, machine()));
  });
}

async function measuredText(options: BenchOptions, before: Machine): Promise<string> {
  if (options.memory) return textOf(await benchMemory(options), memoryLine, { options, before });
  if (options.slowReaders) return textOf(await benchBesideSlow(options), besideSlowLines, { options, before });
  if (options.fair) return textOf(await benchFair(options), fairLines, { options, before });
  const results = await benchOf(options);
  const { rounds, seconds } = options;
  const about = { ...before, rounds, seconds };
  if (options.json) return `${JSON.stringify({ ...about, results }, null, 2)}\n`;
  const sides = sidesOf(options);
  if (!options.markdown) return table(results, sides);
  const method = `Medians of ${rounds} alternating rounds of ${seconds} s.`;
  return `${machineLine(before)} ${method}\n\n${markdown(results, sides)}`;
}

/** Results that are told in lines: in Markdown a list. */
function textOf<Result>(
  result: Result,
  lines: (result: Result) => string,
  { options, before }: { readonly options: BenchOptions; readonly before: Machine },
): string {
  if (options.json) return `${JSON.stringify(result, null, 2)}\n`;
  const text = lines(result);
  return options.markdown ? `${machineLine(before)}\n\n${text.replace(/^(?=.)/gm, '* ')}` : text;
}

function benchOf(options: BenchOptions): Promise<Measured[]> {
  if (options.policies) return benchPolicies(options);
  if (options.workers > 1) return benchWorkers(options);
  return options.observed ? benchObserved(options) : benchAgainstProxy(options);
}

function sidesOf({ observed, policies, workers }: BenchOptions): Sides {
  if (workers > 1) return { gateway: `${workers} workers`, other: 'one worker' };
  if (policies) return { gateway: '20 statements', other: 'no policy' };
  return observed ? { gateway: 'observed', other: 'unobserved' } : { gateway: 'gateway', other: 'bare proxy' };
}
