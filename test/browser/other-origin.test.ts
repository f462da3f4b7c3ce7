import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../support/gateway/gateway.ts';
import { exactly, signedV4 } from '../support/clients/post-form.ts';
import { findChromium } from './support/find-chromium.ts';
import { openBrowser } from './support/browser.ts';

const BUCKET = 'from-a-page';
const executable = findChromium();

interface PageRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: readonly (readonly [string, string])[];
}

describe.skipIf(executable === undefined)('a page of another origin', () => {
  let gateway: TestGateway;
  let pages: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    gateway = await startTestGateway();
    pages = createServer((_request, response) => response.end('<html></html>'));
    await new Promise<void>((done) => pages.listen(0, '127.0.0.1', done));
    browser = await openBrowser(executable ?? '');
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    await send(gateway.port, 'owner', { method: 'PUT', target: `/${BUCKET}` });
    await send(gateway.port, 'owner', {
      method: 'PUT',
      target: `/${BUCKET}/open`,
      headers: { 'x-amz-acl': 'public-read' },
      body: '0123456789',
    });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    pages.close();
    await gateway.close();
  });

  /** What the page gets to see; `refused`: the browser keeps it from the page. */
  function asked(path: string, init: PageRequest = {}): Promise<string> {
    return page.evaluate(
      async ({ url, method, headers, fields }) => {
        const body = fields === undefined ? undefined : new FormData();
        for (const [name, value] of fields ?? []) body?.append(name, value);
        body?.append('file', new Blob(['bytes']), 'a.txt');
        try {
          const answer = await fetch(url, { method, headers, ...(body && { body }) });
          return `${answer.status} ${answer.headers.get('etag') === null ? '' : 'etag '}${/<Code>(\w+)/.exec(await answer.clone().text())?.[1] ?? (await answer.text())}`;
        } catch {
          return 'refused';
        }
      },
      {
        url: `http://127.0.0.1:${gateway.port}/${BUCKET}${path}`,
        method: init.method ?? 'GET',
        headers: { ...init.headers },
        fields: init.fields,
      },
    );
  }

  const form = (): { method: string; fields: readonly (readonly [string, string])[] } => ({
    method: 'POST',
    fields: signedV4([['key', 'k']], exactly([['key', 'k']], BUCKET)),
  });

  test('sees nothing without a rule', async () => {
    expect([
      await asked('/open'),
      await asked('/open', { headers: { range: 'bytes=1-3', 'x-a': 'b' } }),
      await asked('/none'),
      await asked('', form()),
    ]).toEqual(['refused', 'refused', 'refused', 'refused']);
  });

  test('reads ranges and errors, and uploads by a form, where a rule lets it', async () => {
    const rule =
      '<AllowedMethod>GET</AllowedMethod><AllowedMethod>POST</AllowedMethod><AllowedOrigin>http://127.0.0.1:*</AllowedOrigin><AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>';
    const put = await send(gateway.port, 'owner', {
      method: 'PUT',
      target: `/${BUCKET}?cors`,
      body: `<CORSConfiguration><CORSRule>${rule}</CORSRule></CORSConfiguration>`,
    });
    expect(put.status).toBe(200);
    await new Promise((done) => setTimeout(done, 50));
    expect(await asked('/open', { headers: { range: 'bytes=1-3', 'x-a': 'b' } })).toBe('206 etag 123');
    expect(await asked('/k')).toBe('403 AccessDenied');
    expect(await asked('', form())).toBe('204 etag ');
    expect(await asked('', { method: 'PUT' })).toBe('refused');
  });
});
