import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { RequestSummary } from '../../src/admin/inspector/contract.ts';
import { openBrowser, openPage, SCHEMES, seriousFaults, type WatchedPage } from './support/browser.ts';
import { type StagedInspector, startStagedInspector } from './support/staged-inspector.ts';
import {
  CANONICAL_REQUEST,
  stagedFailure,
  stagedSuccess,
  stagedSummary,
  STRING_TO_SIGN,
} from './support/staged-requests.ts';

const chromium = inject('chromium');
const TOKEN = 'open-sesame-open-sesame';

/** What is rare, or takes long, in a page that is driven by hand: the API behind it says what each test wants. */
describe.skipIf(chromium === '')("the inspector's page", () => {
  let browser: Browser;
  let staged: StagedInspector;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser(chromium);
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    staged = await startStagedInspector();
    watched = await openPage(browser);
    ({ page } = watched);
  });
  afterEach(async () => {
    await page.context().close();
    await staged.close();
  });

  const rows = (): ReturnType<Page['locator']> => page.locator('.requests tbody tr');
  const button = (name: string | RegExp): ReturnType<Page['locator']> => page.getByRole('button', { name });
  const arrive = (id: string, rest: Partial<RequestSummary> = {}): void =>
    staged.send('finished', stagedSummary(id, rest));
  /** Opens the page and waits until its stream is there. */
  const open = async (fragment = '#/requests'): Promise<void> => {
    await page.goto(`${staged.url}${fragment}`);
    await page.getByText('live', { exact: true }).waitFor();
  };
  /** All that scripts of the page can have put by. */
  const kept = (): Promise<string> =>
    page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage, cookie: document.cookie })');
  const openFailure = async (): Promise<void> => {
    const summary = stagedSummary('FAILED', { outcome: 'clientError', status: 403, code: 'SignatureDoesNotMatch' });
    staged.details.set(summary.href, stagedFailure(summary));
    await open(`#/requests?open=${encodeURIComponent(summary.href)}`);
    await page.getByRole('heading', { name: 'String to sign' }).waitFor();
  };

  it('shows every replica, the dead one with the reason', async () => {
    await open();
    await expect.poll(() => page.locator('.replicas li').allInnerTexts()).toHaveLength(3);
    const chips = await page.locator('.replicas li').allInnerTexts();
    expect(chips[2]).toMatch(/192\.0\.2\.2.*\s*down: connection refused/);
  });

  it('puts requests aside while paused, and says how many events were lost', async () => {
    await open();
    arrive('A');
    await rows().first().waitFor();
    await button('Pause').click();
    arrive('B', { arrived: Date.now() + 10 });
    arrive('C', { arrived: Date.now() + 20, replica: 'gateway-1' });
    await button('Resume (2 new)').waitFor();
    expect(await rows().count()).toBe(1);
    await button(/Resume/).click();
    await expect.poll(() => rows().count()).toBe(3);
    expect(await rows().first().innerText()).toContain('gateway-1');
    staged.send('lost', { replica: 'gateway-1', count: 12 });
    await page.getByText('12 events lost').waitFor();
    await button('Read again').click();
    await expect.poll(() => staged.streams.length).toBe(2);
    expect(await page.getByText('events lost').count()).toBe(0);
  });

  it('says how many requests it was not told of, and forgets that with another filter', async () => {
    await open();
    staged.send('leftOut', { replica: 'gateway-0', count: 9000 });
    staged.send('leftOut', { replica: 'gateway-1', count: 900 });
    await page.getByText('9,900 requests left out').waitFor();
    await button('Failures').click();
    await page.getByText('left out').waitFor({ state: 'detached' });
  });

  it('connects again when the stream breaks', async () => {
    await open();
    staged.hangUp();
    await expect.poll(() => staged.streams.length).toBe(2);
    await page.getByText('live', { exact: true }).waitFor();
    arrive('A');
    await rows().first().waitFor();
  });

  it('has the filter in its address, asks the server with it, and takes it from there after a reload', async () => {
    await open();
    await page.getByLabel('Bucket').fill('photos & more');
    await page.getByLabel('Status').fill('403');
    await button('Failures').click();
    await expect
      .poll(() => staged.streams.at(-1))
      .toBe('bucket=photos+%26+more&status=403&errors=true&scope=all&recent=300&rate=100');
    expect(page.url()).toContain('#/requests?bucket=photos+%26+more&status=403&errors=true');
    await page.reload();
    await page.getByText('live', { exact: true }).waitFor();
    expect(await page.getByLabel('Bucket').inputValue()).toBe('photos & more');
    expect(await button('Failures').getAttribute('aria-pressed')).toBe('true');
    await button('Clear').click();
    await expect.poll(() => staged.streams.at(-1)).toBe('scope=all&recent=300&rate=100');
  });

  it('can be used with the keyboard alone', async () => {
    for (const id of ['A', 'B', 'C']) staged.details.set(`/api/requests/${id}`, stagedSuccess(stagedSummary(id)));
    await open();
    for (const [index, id] of ['A', 'B', 'C'].entries()) arrive(id, { arrived: Date.now() + index });
    await expect.poll(() => rows().count()).toBe(3);
    const focused = (): Promise<string | null> =>
      page.evaluate<string | null>(
        'document.activeElement.dataset.request ?? document.activeElement.name ?? document.activeElement.tagName',
      );
    await page.keyboard.press('j');
    await expect.poll(focused).toBe('/api/requests/C');
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('/api/requests/B');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Authorisation' }).waitFor();
    await expect.poll(focused).toBe('H2');
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('/api/requests/B');
    await page.locator('.detail').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await expect.poll(focused).toBe('operation');
    await page.keyboard.type('ep?');
    expect(await page.getByLabel('Operation').inputValue()).toBe('ep?');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });

  it('says so when a request is not kept any more, and keeps the filter of the list meanwhile', async () => {
    await open(`#/requests?bucket=photos&open=${encodeURIComponent('/api/requests/GONE')}`);
    await page.getByRole('alert').filter({ hasText: 'not kept any more' }).waitFor();
    await button('Close').click();
    await page.locator('.detail').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Object', exact: true }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Bucket' }).inputValue()).toBe('photos');
    await page.getByRole('link', { name: 'Requests' }).click();
    await expect.poll(() => page.url()).toMatch(/#\/requests\?bucket=photos$/);
  });

  it('points out what proxies change, and gives the hint with how sure it is', async () => {
    await openFailure();
    const altered = await page.locator('.canonical .altered').allInnerTexts();
    expect(altered.map((text) => /accept-encoding|host/.exec(text)?.[0])).toEqual(['accept-encoding', 'host']);
    expect(await page.locator('.hints').innerText()).toMatch(
      /changed host.*proved.*signed for the host s3\.example\.com/is,
    );
    expect(await page.locator('.string-to-sign').innerText()).toBe(STRING_TO_SIGN);
  });

  it.each([
    ['the same text', CANONICAL_REQUEST, /Byte for byte the canonical request/],
    [
      'a trimmed space',
      CANONICAL_REQUEST.replace('two  spaces', 'two spaces'),
      /byte 131 \(line 7, column 21\).*server has space \(20\), yours has “s” \(73\)/,
    ],
    [
      'other line ends',
      CANONICAL_REQUEST.replaceAll('\n', '\r\n'),
      /byte 3 \(line 1, column 4\).*line feed \(0A\), yours has carriage return \(0D\)/,
    ],
    ['the string to sign', `${STRING_TO_SIGN} `, /First difference to the string to sign.*yours has space/],
  ])('compares %s in the browser and sends it nowhere', async (_, pasted, expected) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openFailure();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`);
    await page.locator('.compare textarea').focus();
    await page.keyboard.press('Control+V');
    await expect.poll(() => page.locator('.compare [role=status]').innerText()).toMatch(expected);
    expect(sent).toEqual([]);
    expect(await kept()).not.toContain('HMAC');
  });

  it('forgets what was pasted when another request is opened', async () => {
    await openFailure();
    await page.locator('.compare textarea').fill(STRING_TO_SIGN);
    await page.getByText('Byte for byte').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.locator('.detail').waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('heading', { name: 'String to sign' }).waitFor();
    expect(await page.getByText('Byte for byte').count()).toBe(0);
  });

  it('copies commands, offers the bundle and leads to the trace', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const summary = stagedSummary('DONE');
    staged.details.set(summary.href, stagedSuccess(summary));
    await open(`#/requests?open=${encodeURIComponent(summary.href)}`);
    await button('Copy as curl').click();
    await page.getByText('Copied, without credentials').waitFor();
    const clipboard = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
    const copied = await clipboard();
    expect(copied).toContain("--aws-sigv4 'aws:amz:us-east-1:s3'");
    expect(copied).not.toMatch(/AKIA|chars, sha256|Signature/);
    await button('Copy as aws-cli').click();
    await expect.poll(clipboard).toContain('aws s3api put-object');
    expect(await page.getByRole('link', { name: 'Support bundle' }).getAttribute('href')).toBe(
      `${staged.url}api/requests/DONE/bundle`,
    );
    expect(await page.getByRole('link', { name: summary.traceId }).getAttribute('href')).toBe(
      `https://traces.example.com/${summary.traceId}`,
    );
    expect(await page.locator('.waterfall tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/azure write.*503 throttled/s),
      expect.stringMatching(/attempt 2.*201.*2\.0 KiB/s),
    ]);
  });

  it('asks for a token when the port does, goes on where it was, and signs out', async () => {
    const guarded = await startStagedInspector(TOKEN);
    const summary = stagedSummary('DONE');
    guarded.details.set(summary.href, stagedSuccess(summary));
    await page.goto(`${guarded.url}#/requests?open=${encodeURIComponent(summary.href)}`);
    await page.getByLabel('Token').fill('wrong');
    await button('Go on').click();
    await page.getByText('This token is not accepted.').waitFor();
    await page.getByLabel('Token').fill(TOKEN);
    await button('Go on').click();
    await page.getByRole('heading', { name: 'Authorisation' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    expect(await kept()).not.toContain(TOKEN);
    await page.reload();
    await page.getByRole('heading', { name: 'Authorisation' }).waitFor();
    await button('Sign out').click();
    await page.getByLabel('Token').waitFor();
    expect(await page.getByText(summary.id).count()).toBe(0);
    await page.reload();
    await page.getByLabel('Token').waitFor();
    await guarded.close();
  });

  it('shows text that looks like markup as text', async () => {
    const key = '<img src=x onerror=alert(1)>${1}</td>';
    const summary = stagedSummary('ODD', { key, operation: '<b>Put</b>' });
    staged.details.set(summary.href, stagedSuccess(summary));
    await open(`#/requests?open=${encodeURIComponent(summary.href)}`);
    arrive('ODD', { key, operation: '<b>Put</b>' });
    await rows().first().waitFor();
    expect(await page.locator('.detail .address').innerText()).toBe(`photos/${key}`);
    expect(await page.locator('img, b:has-text("Put")').count()).toBe(0);
  });

  it('holds a flood of requests', async () => {
    await open();
    for (let index = 0; index < 5000; index += 1) arrive(`R${index}`, { arrived: Date.now() + index });
    await expect.poll(() => rows().first().getAttribute('class')).toBe('ok');
    await expect
      .poll(() => page.locator('.row-link').first().getAttribute('data-request'), { timeout: 20_000 })
      .toBe('/api/requests/R4999');
    expect(await rows().count()).toBe(100);
    await button('Show more').click();
    await expect.poll(() => rows().count()).toBe(200);
  });

  it('can be read at 400 pixels: nothing sticks out', async () => {
    await page.setViewportSize({ width: 400, height: 800 });
    const summary = stagedSummary('LONG', {
      key: 'k'.repeat(900),
      code: 'SignatureDoesNotMatch',
      outcome: 'clientError',
      status: 403,
    });
    staged.details.set(summary.href, stagedFailure(summary));
    await open();
    arrive('LONG', summary);
    await rows().first().waitFor();
    const width = (): Promise<number> =>
      page.evaluate(
        `Math.max(...[...document.querySelectorAll('html, main, .requests, .detail')].map((element) => element.scrollWidth))`,
      );
    expect(await width()).toBeLessThanOrEqual(400);
    await page.locator('.row-link').click();
    await page.getByRole('heading', { name: 'String to sign' }).waitFor();
    expect(await width()).toBeLessThanOrEqual(400);
  });

  it.each(SCHEMES)('axe finds nothing serious in list, failure, and token form: %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await openFailure();
    arrive('A');
    arrive('B', { outcome: 'aborted' });
    arrive('C', { outcome: 'serverError', status: 503, code: 'SlowDown', slow: true });
    staged.send('started', stagedSummary('D', { outcome: 'running' }));
    staged.send('lost', { replica: 'gateway-1', count: 1 });
    await expect.poll(() => rows().count()).toBe(4);
    await page.locator('.compare textarea').fill('PUT\n/other');
    await page.getByText('First difference').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    const guarded = await startStagedInspector(TOKEN);
    await page.goto(guarded.url);
    await page.getByLabel('Token').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await guarded.close();
  });

  it('complains of nothing: neither errors nor what its policy would refuse', async () => {
    await openFailure();
    arrive('A');
    await rows().first().waitFor();
    await button('Help and shortcuts').click();
    expect(watched.complaints).toEqual([]);
  });
});
