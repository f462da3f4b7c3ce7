import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { startTestbed } from '../../support/gateway/testbed.ts';
import { openBrowser, openPage, SCHEMES } from './browser.ts';
import { busyHour } from './busy-hour.ts';
import { findChromium } from './find-chromium.ts';
import { Scene } from './scene.ts';

const FOLDER = resolve(import.meta.dirname, '../../../docs/images');

const USAGE = `usage: npm run screenshots -- [options]
  --minutes N   how long clients are at work before the overview is taken (60); 0: no overview
  --overview    nothing but the overview`;

interface Options {
  readonly minutes: number;
  readonly isOverviewOnly: boolean;
}

/**
 * Pictures of the inspector for the documentation, of real clients of two replicas, light and dark.
 * @throws Error of an option that is not known
 */
export async function main(argv: readonly string[]): Promise<void> {
  const { minutes, isOverviewOnly } = parseOptions(argv);
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('no Chromium here: apt-get install chromium, or CHROMIUM=/path/to/it');
  const browser = await openBrowser(chromium);
  try {
    const { page } = await openPage(browser, { viewport: { width: 1280, height: 800 } });
    if (!isOverviewOnly) await takeRequests(page);
    if (minutes > 0) await takeOverview(page, minutes);
  } finally {
    await browser.close();
  }
}

function parseOptions(argv: readonly string[]): Options {
  const options = {
    minutes: { type: 'string', default: '60' },
    overview: { type: 'boolean', default: false },
  } as const;
  try {
    const { minutes, overview } = parseArgs({ args: [...argv], options }).values;
    return { minutes: Number(minutes), isOverviewOnly: overview };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

async function takeRequests(page: Page): Promise<void> {
  const bed = await startTestbed('--backend', 'azure', '--replicas', '2', '--admin-port', '0');
  const scene = new Scene(bed.bed);
  try {
    const url = bed.bed.adminEndpoints[0] ?? '';
    await page.goto(`${url}/`);
    await play(scene);
    for (const [name, show] of Object.entries(PICTURES)) {
      await page.goto(`${url}/#/requests`);
      await page.locator('.requests tbody tr').first().waitFor();
      await show(page, scene);
      await takeBoth(page, name);
    }
  } finally {
    scene.close();
    await bed.stop();
  }
}

async function takeOverview(page: Page, minutes: number): Promise<void> {
  const hour = await busyHour(minutes);
  try {
    await page.goto(hour.adminUrl);
    await page.locator('time-plot canvas').first().waitFor();
    await takeBoth(page, 'overview');
  } finally {
    await hour.stop();
  }
}

async function play(scene: Scene): Promise<void> {
  await scene.open();
  await scene.everydayWork();
  await scene.upload();
  await scene.versions();
  await scene.failedSignature();
  await scene.everydayWork();
}

const PICTURES: Readonly<Record<string, (page: Page, scene: Scene) => Promise<void>>> = {
  list: async () => undefined,
  detail: async (page) => {
    await open(page, 'CompleteMultipartUpload');
    await scrollDetail(page, 330);
  },
  failure: async (page) => {
    await open(page, 'SignatureDoesNotMatch');
    await scrollDetail(page, 250);
  },
  object: async (page, scene) => {
    await page.goto(
      `${new URL('/', page.url()).href}#/object?${new URLSearchParams({ bucket: scene.bucket, key: scene.diary }).toString()}`,
    );
    await page.getByRole('heading', { name: '4 versions' }).waitFor();
  },
};

async function open(page: Page, text: string): Promise<void> {
  await page.locator('.requests tbody tr').filter({ hasText: text }).first().locator('.row-link').click();
  await page.locator('.detail h2').filter({ hasText: text }).waitFor();
}

async function scrollDetail(page: Page, pixels: number): Promise<void> {
  await page.evaluate(`document.querySelector('.detail').scrollTo(0, ${pixels})`);
}

async function takeBoth(page: Page, name: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const path = resolve(FOLDER, `inspector-${name}-${colorScheme}.png`);
    await page.screenshot({ path });
    shrink(path);
  }
}

/** To a palette, a third of the size: a repository keeps every picture for ever. */
function shrink(path: string): void {
  const { error } = spawnSync('pngquant', ['--force', '--ext', '.png', '64', path]);
  if (error !== undefined) process.stderr.write(`${path} is large: apt-get install pngquant\n`);
}
