import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PageFiles, readPageFiles } from '../../../../src/admin/page/page-files.ts';
import { inspectorPage } from '../../../../src/admin/page/page.ts';
import { type AdminServer, startAdminServer } from '../../../../src/admin/server.ts';
import { SILENT } from '../../../support/silent-log.ts';

const IMPORT = /(?:\bfrom|\bimport)\s*'([^'\n]+)'|\bfrom\s*"([^"\n]+)"/g;

describe('files of the page', () => {
  let files: PageFiles;
  beforeAll(async () => {
    files = await readPageFiles();
  });

  it('are complete: whatever a module imports is there, under its address', () => {
    const modules = [...files].filter(([path]) => /\.(?:ts|js)$/.test(path));
    expect(modules.length).toBeGreaterThan(20);
    for (const [path, { body }] of modules) {
      for (const [, single, double] of body.toString().matchAll(IMPORT)) {
        const wanted = new URL(single ?? double ?? '', `http://page/${path}`);
        expect(files.has(wanted.pathname.slice(1)), `${path} imports ${single ?? double ?? ''}`).toBe(true);
      }
    }
  });

  it('hold nothing from outside, no inline script and no inline style', () => {
    for (const [path, { body }] of files) {
      const text = body.toString();
      if (path.startsWith('lib/')) continue;
      expect(text, path).not.toMatch(/<script(?![^>]*\bsrc=)|\bstyle=["'$]|\bon(?:click|load|error)=|javascript:/);
      expect(text, path).not.toMatch(/(?:src|href|url\(|import\s*\()\s*=?\s*["']?(?:https?:)?\/\//);
    }
  });

  it('have no types any more', () => {
    expect(files.get('route.ts')?.body.toString()).not.toMatch(/import type|\bRoute\b/);
  });

  it('are all of a known kind', () => {
    expect([...files.values()].map(({ contentType }) => contentType)).not.toContain('application/octet-stream');
    expect([...files.keys()].filter((path) => path.includes('tsconfig'))).toEqual([]);
  });
});

describe('the page over HTTP', () => {
  let server: AdminServer;
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.address.port}${path}`, { headers });
  beforeAll(async () => {
    server = await startAdminServer({ log: SILENT, host: '127.0.0.1', port: 0, parts: [inspectorPage()] });
  });
  afterAll(() => server.close());

  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/page/page.css', 'text/css; charset=utf-8'],
    ['/page/icon.svg', 'image/svg+xml'],
    ['/page/main.ts', 'text/javascript; charset=utf-8'],
    ['/page/views/list.ts', 'text/javascript; charset=utf-8'],
    ['/page/lib/lit-html/lit-html.js', 'text/javascript; charset=utf-8'],
    ['/page/lib/uplot/dist/uPlot.esm.js', 'text/javascript; charset=utf-8'],
    ['/page/lib/uplot/dist/uPlot.min.css', 'text/css; charset=utf-8'],
  ])('%s is %s', async (path, contentType) => {
    const response = await get(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, contentType]);
  });

  it('is not sent again while it stays the same', async () => {
    const etag = (await get('/')).headers.get('etag') ?? '';
    const again = await get('/', { 'if-none-match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it.each([
    '/page/',
    '/page/tsconfig.json',
    '/page/../page.ts',
    '/page/%2e%2e/page.ts',
    '/page/..%2fpage.ts',
    '/page//etc/passwd',
    '/page/constructor',
  ])('%s is nothing', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});
