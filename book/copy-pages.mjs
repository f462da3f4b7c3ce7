import { cpSync, rmSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';

/* Copies the pages and pictures of the repository, each to its own path, beneath the folder that VitePress bundles. */
const ROOT = resolve(import.meta.dirname, '..');
const PAGES = join(import.meta.dirname, 'pages');
const SOURCES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'GOVERNANCE.md', 'SECURITY.md'];
const KINDS = ['.md', '.png', '.svg'];

function isPage(path) {
  return statSync(path).isDirectory() ? basename(path) !== 'node_modules' : KINDS.includes(extname(path));
}

rmSync(PAGES, { recursive: true, force: true });
for (const source of [...SOURCES, 'docs', 'helm/README.md']) {
  cpSync(join(ROOT, source), join(PAGES, source), { recursive: true, filter: isPage });
}
