import { spawnSync } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type RunningTestbed, startTestbed } from '../support/gateway/testbed.ts';
import { openBrowser, openPage, SCHEMES, seriousFaults, type WatchedPage } from './support/browser.ts';
import { Scene } from './support/scene.ts';

const chromium = inject('chromium');
/** Long enough for the page to hear of a request and to show it. */
const RENDERED_MS = 1500;

/** A person at the first replica's admin port while clients work on two replicas over one backend. */
describe.skipIf(chromium === '')('the inspector during a client run', () => {
  let bed: RunningTestbed;
  let scene: Scene;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    bed = await startTestbed('--backend', 'azure', '--replicas', '2', '--admin-port', '0');
    scene = new Scene(bed.bed);
    browser = await openBrowser(chromium);
    watched = await openPage(browser);
    ({ page } = watched);
    await page.goto(`${bed.bed.adminEndpoints[0] ?? ''}/#/requests`);
    await page.getByText('live', { exact: true }).waitFor();
  });
  afterAll(async () => {
    await browser.close();
    scene.close();
    await bed.stop();
  });

  const row = (...texts: string[]): ReturnType<Page['locator']> =>
    texts.reduce((rows, hasText) => rows.filter({ hasText }), page.locator('.requests tbody tr'));
  const heading = (name: string): Promise<void> => page.getByRole('heading', { name }).waitFor();
  const part = (title: string | RegExp): ReturnType<Page['locator']> =>
    page.locator('section.part').filter({ has: page.getByRole('heading', { name: title }) });
  const openRow = async (...texts: string[]): Promise<void> => {
    await row(...texts)
      .first()
      .locator('.row-link')
      .click();
    await page
      .locator('.detail h2')
      .filter({ hasText: texts[0] ?? '' })
      .waitFor();
  };
  const checkBothSchemes = async (): Promise<void> => {
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousFaults(page)).toEqual([]);
    }
  };

  it('shows requests of both replicas as they arrive', async () => {
    await scene.open();
    await row('CreateBucket').waitFor();
    await scene.everydayWork();
    await row('PutObject', scene.photo).waitFor();
    await row('HeadObject').waitFor();
    await row('NoSuchKey', '404').waitFor();
    const replicas = await page.locator('.requests td.replica').allInnerTexts();
    expect(new Set(replicas).size).toBe(2);
    expect(await page.locator('.replicas .chip.up').count()).toBe(2);
    await checkBothSchemes();
  });

  it('filters', async () => {
    await page.getByLabel('Operation').fill('GetObject');
    await expect
      .poll(() =>
        page
          .locator('.requests td.operation')
          .allInnerTexts()
          .then((texts) => texts.filter((text) => !text.startsWith('GetObject'))),
      )
      .toEqual([]);
    await expect.poll(() => row().count()).toBe(2);
    await page.getByLabel('Status').fill('404');
    await expect.poll(() => row().count()).toBe(1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await row('CreateBucket').waitFor();
  });

  it.skipIf(spawnSync('curl', ['--version']).status !== 0)(
    'gives a command that sends the same request again',
    async () => {
      await openRow('GetObject', '206');
      const command = (await page.getByRole('button', { name: 'Copy as curl' }).getAttribute('title')) ?? '';
      const [account] = bed.bed.accounts;
      const env = { ...process.env, AWS_ACCESS_KEY_ID: account?.accessKey, AWS_SECRET_ACCESS_KEY: account?.secretKey };
      const { stdout } = spawnSync(
        'sh',
        ['-c', `${command} --silent --output /dev/null --write-out '%{http_code} %{size_download}'`],
        { encoding: 'utf8', env },
      );
      expect(stdout).toBe('206 1000');
    },
  );

  it('shows why a signature failed: what the server signed, what the client signed, and which change explains it', async () => {
    const signed = await scene.failedSignature();
    await openRow('SignatureDoesNotMatch');
    const toSign = await page.locator('.string-to-sign').innerText();
    const theirs = signed.stringToSign.split('\n');
    expect(toSign.split('\n')).toEqual([...theirs.slice(0, 3), expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(toSign).not.toBe(signed.stringToSign);
    expect(await page.locator('.canonical .altered').allInnerTexts()).toContainEqual(
      expect.stringContaining('host:storage.internal'),
    );
    expect(await page.locator('.hints li').first().innerText()).toMatch(/changed host.*proved/is);
    await checkBothSchemes();
    await page.locator('.compare textarea').fill(signed.canonicalRequest);
    await page.locator('.first-difference').waitFor();
    const different = page.locator('.differences tr.server, .differences tr.yours');
    expect(await different.allInnerTexts()).toEqual([
      expect.stringContaining('host:storage.internal'),
      expect.stringContaining(`host:${new URL(bed.bed.endpoints[0] ?? '').host}`),
    ]);
  });

  it('shows a completed multipart upload with its calls to the backend', async () => {
    await scene.upload();
    await openRow('CompleteMultipartUpload', scene.film);
    const calls = part(/^Backend: \d+ calls/).locator('.waterfall tbody tr');
    const count = await calls.count();
    expect(count).toBeGreaterThan(1);
    expect(
      await part(/^Backend/)
        .locator('rect.call')
        .count(),
    ).toBe(count);
    expect(await calls.first().innerText()).toMatch(/azure \w+/);
    expect(await part('Head of the key').innerText()).toMatch(/absent.*0x[0-9A-F]+/s);
    expect(await part('Identity').innerText()).toMatch(/accepted.*main/s);
    expect(await part('Authorisation').innerText()).toMatch(/allowed.*by.*owner/s);
    await checkBothSchemes();
    await page.getByRole('link', { name: 'Timeline of this upload' }).click();
    await expect
      .poll(() => page.locator('.page tbody tr:not(.day) td:nth-child(3)').allInnerTexts())
      .toEqual(['CreateMultipartUpload', 'UploadPart', 'UploadPart', 'CompleteMultipartUpload']);
    await checkBothSchemes();
  });

  it('leaves what is being typed alone while requests come', async () => {
    await page.getByRole('link', { name: 'Object', exact: true }).click();
    const bucket = page.getByRole('search', { name: 'Look up an object' }).getByLabel('Bucket');
    await bucket.fill('half a na');
    await scene.failedSignature();
    await page.waitForTimeout(RENDERED_MS);
    expect(await bucket.inputValue()).toBe('half a na');
  });

  it('shows a versioned key as it lies in the backend', async () => {
    await scene.versions();
    await page.getByRole('link', { name: 'Object', exact: true }).click();
    const form = page.getByRole('search', { name: 'Look up an object' });
    await form.getByLabel('Bucket').fill(scene.bucket);
    await form.getByLabel('Key').fill(scene.diary);
    await form.getByRole('button', { name: 'Look' }).click();
    await heading('4 versions');
    const versions = await page.locator('details.version > summary').allInnerTexts();
    expect(versions.map((text) => /current|delete marker/.exec(text)?.[0])).toEqual([
      'current',
      'delete marker',
      undefined,
      undefined,
    ]);
    expect(await part(/^Head$/).innerText()).toMatch(/link.*names the blob of the current version/s);
    const current = await page.locator('details.version').first().innerText();
    for (const text of ['weather', 'Bergen', 'author', 'Kari', 'text/markdown']) expect(current).toContain(text);
    await checkBothSchemes();
  });

  it('begins with an overview of both replicas, which leads to a request', async () => {
    await page.goto(`${bed.bed.adminEndpoints[0] ?? ''}/`);
    await heading('Overview');
    const card = (name: string): ReturnType<Page['locator']> =>
      page.locator('.card').filter({ has: page.getByRole('heading', { name }) });
    await card('Top buckets').getByRole('link', { name: scene.bucket }).waitFor();
    expect(await page.locator('.chip.up').count()).toBe(2);
    const [puts] = await card('Operations')
      .locator('tr')
      .filter({ hasText: 'PutObject' })
      .locator('td')
      .allInnerTexts();
    expect(Number(puts)).toBeGreaterThan(4);
    await card('Usage').getByText('No pass has counted anything yet').waitFor();
    await checkBothSchemes();
    await card('Top refused').getByRole('link', { name: 'SignatureDoesNotMatch' }).first().click();
    await openRow('SignatureDoesNotMatch');
    await heading('String to sign');
  });

  it('shows buckets, their keys and versions', async () => {
    await page.getByRole('link', { name: 'Buckets' }).click();
    await page.locator('.page').getByRole('link', { name: scene.bucket }).click();
    await page.getByRole('link', { name: 'holidays/' }).waitFor();
    await checkBothSchemes();
    await page.getByRole('link', { name: 'diary/' }).click();
    await page.getByRole('link', { name: 'Versions' }).click();
    const rows = page.locator('.page tbody tr');
    await expect.poll(() => rows.count()).toBe(4);
    const texts = await rows.allInnerTexts();
    expect(texts.map((text) => /current|delete marker/.exec(text)?.[0])).toEqual([
      'current',
      'delete marker',
      undefined,
      undefined,
    ]);
    await checkBothSchemes();
    await rows.first().getByRole('link').click();
    await heading('4 versions');
  });

  it('gives the same page at the other replica', async () => {
    const other = await openPage(browser);
    await other.page.goto(`${bed.bed.adminEndpoints[1] ?? ''}/#/requests?code=SignatureDoesNotMatch`);
    await other.page.locator('.row-link').first().click();
    await other.page.getByRole('heading', { name: 'String to sign' }).waitFor();
    expect(other.complaints).toEqual([]);
    await other.page.context().close();
  });

  it('has nothing to complain of', () => {
    expect(watched.complaints).toEqual([]);
  });
});
