import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { startTestbed } from '../../support/gateway/testbed.ts';
import { openBrowser, openPage, SCHEMES } from './browser.ts';
import { findChromium } from './find-chromium.ts';
import { Scene } from './scene.ts';
import { startStagedInspector } from './staged-inspector.ts';

const FOLDER = resolve(import.meta.dirname, '../../../docs/images');

/** Pictures of the inspector for the documentation, of a real client run on two replicas, light and dark. */
export async function main(): Promise<void> {
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('no Chromium here: apt-get install chromium, or CHROMIUM=/path/to/it');
  const bed = await startTestbed('--backend', 'azure', '--replicas', '2', '--admin-port', '0');
  const scene = new Scene(bed.bed);
  const browser = await openBrowser(chromium);
  try {
    const { page } = await openPage(browser, { viewport: { width: 1280, height: 800 } });
    const url = bed.bed.adminEndpoints[0] ?? '';
    await page.goto(`${url}/`);
    await play(scene);
    for (const [name, show] of Object.entries(PICTURES)) {
      await page.goto(`${url}/#/requests`);
      await page.locator('.requests tbody tr').first().waitFor();
      await show(page, scene);
      await takeBoth(page, name);
    }
    await takeOverview(page);
  } finally {
    await browser.close();
    scene.close();
    await bed.stop();
  }
}

/** Of figures that are made up: an hour of clients takes an hour. */
async function takeOverview(page: Page): Promise<void> {
  const staged = await startStagedInspector(undefined, 'team-data');
  try {
    await page.goto(staged.url);
    await page.locator('time-plot canvas').first().waitFor();
    await takeBoth(page, 'overview');
  } finally {
    await staged.close();
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
