import axe, { type AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

export const SCHEMES = ['light', 'dark'] as const;

/** Chromium's sandbox does not work for root, as whom containers and CI run. */
export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

/**
 * A page that remembers what went wrong in it: uncaught errors, what the content security policy refused, failed
 * requests.
 */
export interface WatchedPage {
  readonly page: Page;
  readonly complaints: readonly string[];
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  return { page, complaints };
}

/** What axe finds serious or critical, one line each: rule, element, reason. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // Typed by hand: by way of a script element the page's own policy would refuse it, and rightly.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(
    `axe.run(document, { resultTypes: ['violations'] })`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    );
}
