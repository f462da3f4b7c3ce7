import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CDPSession, Page } from 'playwright-core';
import { inspectorPage } from '../../../src/admin/page/page.ts';
import { factsOf } from '../../support/observe/request-facts.ts';
import { TestReplica } from '../../unit/admin/inspector/replica.ts';
import { openBrowser, openPage } from './browser.ts';
import { findChromium } from './find-chromium.ts';

const USAGE = `usage: npm run bench:list -- [--rate N] [--seconds N] [--profile]
  --rate N     requests a second that the inspector is told of; 10000 unless given
  --seconds N  for so long; 10 unless given
  --profile    name the functions of the page that took most time
Says how long the page of requests was busy without a break, and how late it was with what was due.`;

/** Requests are told in such turns, as the observers of a gateway do. */
const TURN_MS = 10;
/** So many requests come in one turn at most: those of so long a time. */
const MOST_TURN_MS = 30;
const ASK_MS = 50;

/** `npm run bench:list`: the live list of requests in a browser, while many come. */
export async function main(argv: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rate: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '10' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [rate, seconds] = [Number(values.rate), Number(values.seconds)];
  if (values.help || !(rate > 0 && seconds > 0)) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('no Chromium here: apt-get install chromium, or CHROMIUM=/path/to/it');
  const replica = await TestReplica.start('one', () => [], { parts: [inspectorPage()], maxBytes: 8 * 1024 * 1024 });
  const browser = await openBrowser(chromium);
  try {
    const { page } = await openPage(browser);
    await page.goto(`${replica.url}/#/requests`);
    await page.getByText('live', { exact: true }).waitFor();
    const session = values.profile ? await startProfile(page) : undefined;
    process.stdout.write(await watched(page, replica, { rate, seconds }));
    if (session !== undefined) process.stdout.write(await profileText(session));
  } finally {
    await browser.close();
    await replica.close();
  }
}

/** Notes in the page how long its tasks are, and for how long it does nothing that is due. */
const WATCH = `
  window.watched = { tasks: [], late: 0 };
  new PerformanceObserver((list) => watched.tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });
  let last = performance.now();
  setInterval(() => {
    watched.late = Math.max(watched.late, performance.now() - last - ${String(ASK_MS)});
    last = performance.now();
  }, ${String(ASK_MS)});`;

interface Watched {
  readonly tasks: readonly number[];
  readonly late: number;
}

/** Has requests come, and looks at the page meanwhile. */
async function watched(
  page: Page,
  replica: TestReplica,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<string> {
  await page.evaluate(WATCH);
  const began = performance.now();
  let served = 0;
  for (let now = 0; now < seconds * 1000; now = performance.now() - began) {
    // On a busy machine fewer come, and what came is sent all the same.
    const most = served + (rate * MOST_TURN_MS) / 1000;
    for (; served < Math.min((now / 1000) * rate, most); served += 1) replica.serve(factsOf());
    await sleep(TURN_MS);
  }
  const { tasks, late } = await page.evaluate<Watched>('window.watched');
  const notice = await page.locator('.callout').allInnerTexts();
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return [
    `${(served / seconds).toFixed(0)} requests a second for ${String(seconds)} s; the page says: ${notice.join(' ').split('\n')[0] ?? ''}`,
    `longest task ${ms(Math.max(0, ...tasks))}; ${String(tasks.length)} tasks above 50 ms, ${ms(tasks.reduce((sum, task) => sum + task, 0))} in all`,
    `what was due in the page came up to ${ms(late)} late`,
    '',
  ].join('\n');
}

async function startProfile(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.start');
  return session;
}

/** The functions in which the page was most of the time. */
async function profileText(session: CDPSession): Promise<string> {
  const { profile } = await session.send('Profiler.stop');
  const { nodes, samples = [], timeDeltas = [] } = profile;
  const names = new Map(
    nodes.map(({ id, callFrame }) => [
      id,
      `${callFrame.functionName || '(anonymous)'} ${callFrame.url.split('/').at(-1) ?? ''}:${String(callFrame.lineNumber + 1)}`,
    ]),
  );
  const spent = new Map<string, number>();
  for (const [at, id] of samples.entries()) {
    const name = names.get(id) ?? '';
    spent.set(name, (spent.get(name) ?? 0) + (timeDeltas[at] ?? 0) / 1000);
  }
  const most = [...spent].sort(([, a], [, b]) => b - a).slice(0, 25);
  return most.map(([name, ms]) => `${ms.toFixed(0).padStart(7)} ms ${name}\n`).join('');
}
