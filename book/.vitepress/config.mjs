import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitepress';

/** The site is made of the repository's own pages (`../copy-pages.mjs`); docs/README.md says their order. */
const ROOT = resolve(import.meta.dirname, '../..');
const ORDER = 'docs/README.md';

/** Parts of the book with their pages, as the headings and lists of its first page have them. */
function sidebar() {
  const parts = readFileSync(join(ROOT, ORDER), 'utf8').split(/^## /m).slice(1);
  return parts
    .map((part) => ({ text: part.split('\n', 1)[0], items: itemsOf(part) }))
    .filter(({ items }) => items.length > 0);
}

function itemsOf(part) {
  const lists = part.split('\n').filter((line) => /^(?:\d+\.| {3})/.test(line));
  return lists.flatMap((line) =>
    [...line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text, link]) => ({ text, link: pageOf(link) })),
  );
}

function pageOf(link) {
  const file = relative(ROOT, resolve(ROOT, dirname(ORDER), link));
  return `/${file.replace(/README\.md$/, 'index').replace(/\.md$/, '')}`;
}

export default defineConfig({
  title: 's3-cloud-gateway',
  description: 'An S3 endpoint over Azure Blob Storage and Google Cloud Storage',
  srcDir: 'pages',
  rewrites: (file) => file.replace(/README\.md$/, 'index.md'),
  // Links to sources, to examples and folders are for readers of the repository. That Markdown pages and headings exist
  // is checked by `test/unit/house/documents.test.ts`.
  ignoreDeadLinks: true,
  markdown: { languageAlias: { conf: 'ini' } },
  themeConfig: {
    sidebar: sidebar(),
    nav: [{ text: 'The book', link: '/docs/index' }],
    search: { provider: 'local' },
    outline: 'deep',
  },
});
