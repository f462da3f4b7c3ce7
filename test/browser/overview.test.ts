import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser, openPage, SCHEMES, seriousFaults, type WatchedPage } from './support/browser.ts';
import { ODD_BUCKET, type StagedInspector, startStagedInspector } from './support/staged-inspector.ts';

const chromium = inject('chromium');

/** The overview and the browser of buckets, over figures and names that a test wants. */
describe.skipIf(chromium === '')('the overview', () => {
  let browser: Browser;
  let staged: StagedInspector;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    staged = await startStagedInspector();
    browser = await openBrowser(chromium);
    watched = await openPage(browser);
    ({ page } = watched);
    await page.goto(staged.url);
    await page.locator('time-plot canvas').first().waitFor();
  });
  afterAll(async () => {
    await browser.close();
    await staged.close();
  });

  const card = (name: string | RegExp): ReturnType<Page['locator']> =>
    page.locator('.card').filter({ has: page.getByRole('heading', { name }) });
  /** Within the page, which is loaded once. */
  const open = async (): Promise<void> => {
    await page.goto(`${staged.url}#/overview`);
    await page.getByRole('heading', { name: 'Requests a minute' }).waitFor();
  };

  const bucketsShown = (): Promise<void> => page.getByRole('heading', { name: 'Buckets', exact: true }).waitFor();

  it('is the first view, of the last hour, and names what it could not ask', async () => {
    expect(await page.locator('.tiles > div').first().innerText()).toMatch(/Requests\s+\d,?\d{3}/);
    expect(await page.locator('.callout.warn').innerText()).toContain('192.0.2.2');
    expect(await page.locator('time-plot canvas').count()).toBe(5);
    expect(await card('Top refused').locator('tbody tr').innerText()).toMatch(/AccessDenied\s+team\s+photos\s+20/);
    expect(staged.streams).toEqual([]);
    const [photos, odd] = await card('Usage').locator('tbody tr').allInnerTexts();
    expect(photos).toMatch(/photos\s+team\s+1,000\s+8\.4 GiB.*86%\s+of 9\.3 GiB/s);
    expect(odd).toMatch(/0% of 5 objects\s+no pass yet/);
    const rules = await card('Lifecycle rules').locator('tbody tr').allInnerTexts();
    expect(rules).toEqual([
      expect.stringMatching(/^photos\s.*\s1,200\s+1,100\s+30\s+40\s+20\s+10$/s),
      expect.stringMatching(/late\s+nothing left/),
      expect.stringMatching(/^fresh\s.*nothing left\s+7\s+7\s+0/s),
    ]);
    await page.getByRole('link', { name: 'Last day' }).click();
    await page.getByRole('heading', { name: 'Requests in five minutes' }).waitFor();
    expect(page.url()).toContain('#/overview?window=day');
  });

  it('can be read without eyes, and used with the keyboard alone', async () => {
    await open();
    await page.locator('time-plot').first().focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('time-plot .readout').first().innerText()).toMatch(/^\d\d:\d\d\s+all \d+\s+refused/);
    const figures = card(/^Requests a minute/).getByText('Figures');
    await figures.focus();
    await page.keyboard.press('Enter');
    await expect
      .poll(() =>
        card(/^Requests a minute/)
          .locator('tbody tr')
          .count(),
      )
      .toBe(60);
    await page.locator('time-plot').first().focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toMatch(/#\/requests\?since=\d+&before=\d+$/);
    const { since, before } = Object.fromEntries(new URLSearchParams(page.url().split('?')[1]));
    expect(Number(before) - Number(since)).toBe(60_000);
    await expect.poll(() => staged.streams.at(-1)).toContain(`since=${since ?? ''}&before=${before ?? ''}`);
    await page.keyboard.press('v');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('v');
    await page.getByRole('heading', { name: 'Requests in five minutes' }).waitFor();
    await page.keyboard.press('b');
    await bucketsShown();
  });

  it('leads to the requests of a row, of a time, and to older ones', async () => {
    await open();
    await card('Top slow').getByRole('link').first().click();
    await expect.poll(() => page.url()).toMatch(/operation=GetObject&bucket=%3Cimg.*&slow=true&since=\d+/);
    await page.getByLabel('Until').fill('2026-11-28T12:00:00');
    await page.getByLabel('Until').blur();
    await expect.poll(() => page.url()).toContain(`before=${new Date('2026-11-28T12:00:00').getTime()}`);
  });

  it('shows names that look like markup as text', async () => {
    staged.entries.push(
      { kind: 'prefix', key: `${ODD_BUCKET}/` },
      { kind: 'version', key: ODD_BUCKET, versionId: '<b>1</b>', isLatest: true, size: 12, mtime: Date.now() },
      { kind: 'marker', key: 'gone', versionId: 'null', isLatest: true, mtime: Date.now() },
    );
    await open();
    expect(await card('Top buckets').locator('tbody').innerText()).toContain(ODD_BUCKET);
    await page.getByRole('link', { name: 'Buckets' }).click();
    await bucketsShown();
    await page.getByRole('link', { name: 'photos' }).click();
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByText('<b>1</b>').waitFor();
    expect(await page.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringContaining(`${ODD_BUCKET}/`),
      expect.stringMatching(/current.*12 B/s),
      expect.stringContaining('delete marker'),
    ]);
    expect(await page.locator('img, td b').count()).toBe(0);
    await page.getByRole('link', { name: 'Next page' }).click();
    await expect.poll(() => page.url()).toContain('after=z');
  });

  it('can be read at 400 pixels: nothing sticks out', async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    await open();
    const width = await page.evaluate<number>(
      `Math.max(...[...document.querySelectorAll('html, main, .page')].map((element) => element.scrollWidth))`,
    );
    expect(width).toBeLessThanOrEqual(400);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it.each(SCHEMES)('axe finds nothing serious in it: %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await open();
    expect(await seriousFaults(page)).toEqual([]);
    await page.goto(`${staged.url}#/buckets`);
    await bucketsShown();
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('has nothing to complain of', () => {
    expect(watched.complaints).toEqual([]);
  });
});
