import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type PolicyCase, dice, randomCase } from './cases.ts';
import { explainedBy } from './known-differences.ts';
import { type Simulator, decideCase, simulateCase } from './simulator.ts';

const USAGE = `usage: npm run test:policies -- --simulator FOLDER [--cases N] [--seed N]

Compares decisions with those of @cloud-copilot/iam-simulate, which is by other hands and under another licence (AGPL-3.0), so that it
is no package of this project: install it elsewhere (npm install @cloud-copilot/iam-simulate) and name that folder.`;

export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      simulator: { type: 'string' },
      cases: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
    },
  });
  if (values.simulator === undefined) {
    console.error(USAGE);
    return 2;
  }
  const entry = path.resolve(values.simulator, 'node_modules/@cloud-copilot/iam-simulate/dist/esm/index.js');
  const simulator = (await import(pathToFileURL(entry).href)) as Simulator;
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const unexplained: PolicyCase[] = [];
  for (let at = 0; at < Number(values.cases); at += 1) {
    const one = randomCase(dice(Number(values.seed) * 1_000_003 + at));
    const ours = decideCase(one);
    const theirs = await simulateCase(one, simulator);
    if (theirs === undefined) {
      count('not answered by the simulator');
    } else if (ours === theirs) {
      count(ours ? 'both allow' : 'both refuse');
    } else {
      const name = explainedBy(one, ours);
      count(name ?? `UNEXPLAINED: ${ours ? 'only we allow' : 'only we refuse'}`);
      if (name === undefined) unexplained.push(one);
    }
  }
  for (const [name, times] of [...counts].sort()) console.log(`${String(times).padStart(8)} ${name}`);
  for (const { asked: _asked, ...one } of unexplained.slice(0, 5)) console.log(JSON.stringify(one));
  return unexplained.length === 0 ? 0 : 1;
}
