import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, extname, join, posix, resolve, sep } from 'node:path';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** One file as the browser gets it. */
export interface PageFile {
  readonly contentType: string;
  readonly body: Buffer;
  /** Strong entity tag, quotes included. */
  readonly etag: string;
}

/** By address below `/page/`. No address is ever looked up in the file system. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const FOLDER = resolve(import.meta.dirname, 'web');
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** What the page takes from packages: files of the browser's build, unchanged. `main` is what the bare name means. */
const LIBRARIES: Readonly<Record<string, { readonly main: string; readonly files: readonly string[] }>> = {
  'lit-html': {
    main: 'lit-html.js',
    files: ['lit-html.js', 'directive.js', 'directive-helpers.js', 'directives/live.js', 'directives/repeat.js'],
  },
  uplot: { main: 'dist/uPlot.esm.js', files: ['dist/uPlot.esm.js', 'dist/uPlot.min.css'] },
};
/** Modules of the gateway that the page imports: address below `/page/`, and where they lie. */
const SHARED: Readonly<Record<string, string>> = {
  'shared/request-fields.ts': resolve(import.meta.dirname, '../inspector/request-fields.ts'),
};
/** `from '../../../inspector/request-fields.ts'` */
const SHARED_IMPORT = /(\bfrom\s*)'(?:\.\.\/)+inspector\/([\w-]+\.ts)'/g;

/** `from 'uplot'`, `from 'lit-html/directives/live.js'`. */
const LIBRARY_IMPORT = /(\bfrom\s*)'(lit-html|uplot)(?:\/([\w./-]+))?'/g;

/** Reads the page from the disk: styles and pictures as they are, modules without their types. */
export async function readPageFiles(): Promise<PageFiles> {
  const own = (await readdir(FOLDER, { recursive: true }))
    .map((path) => path.split(sep).join('/'))
    .filter((path) => extname(path) in CONTENT_TYPES);
  const modules = own.filter((path) => path.endsWith('.ts'));
  const [plain, stripped, library] = await Promise.all([
    Promise.all(
      own
        .filter((path) => !modules.includes(path))
        .map(async (path) => [path, await readFile(join(FOLDER, path))] as const),
    ),
    readModules([...modules.map((path) => [path, join(FOLDER, path)] as const), ...Object.entries(SHARED)]),
    Promise.all(Object.entries(LIBRARIES).map(([name, { files }]) => readLibrary(name, files))),
  ]);
  return new Map([...plain, ...stripped, ...library.flat()].map(([path, body]) => [path, pageFile(path, body)]));
}

/** @param modules address and file of each */
async function readModules(modules: readonly (readonly [string, string])[]): Promise<(readonly [string, Buffer])[]> {
  const sources = await Promise.all(modules.map(([, file]) => readFile(file, 'utf8')));
  const stripped = await stripTypes(sources);
  return modules.map(([path], index) => [path, Buffer.from(withAddresses(path, stripped[index] ?? ''))]);
}

async function readLibrary(name: string, files: readonly string[]): Promise<(readonly [string, Buffer])[]> {
  const description = findPackageJSON(name, import.meta.url);
  if (description === undefined) throw new Error(`the package ${name} is missing`);
  return Promise.all(
    files.map(async (file) => [`lib/${name}/${file}`, await readFile(join(dirname(description), file))] as const),
  );
}

/**
 * Browsers know no names of packages, and the map that would tell them is an inline script, which the policy of the
 * page forbids.
 */
function withAddresses(path: string, source: string): string {
  const to = (address: string): string => `./${posix.relative(posix.dirname(path), address)}`;
  return source
    .replaceAll(
      LIBRARY_IMPORT,
      (_, from: string, name: string, file = LIBRARIES[name]?.main) => `${from}'${to(`lib/${name}/${file}`)}'`,
    )
    .replaceAll(SHARED_IMPORT, (_, from: string, file: string) => `${from}'${to(`shared/${file}`)}'`);
}

function pageFile(path: string, body: Buffer): PageFile {
  const contentType = CONTENT_TYPES[extname(path)] ?? 'application/octet-stream';
  return { contentType, body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/**
 * The sources without their types, in the same order. A thread of its own strips them and is gone afterwards. Stripping
 * takes some megabytes, and Node warns that the function may change, which is of no use in the gateway's log.
 */
async function stripTypes(sources: readonly string[]): Promise<readonly string[]> {
  const worker = new Worker(new URL('./strip-worker.ts', import.meta.url), {
    workerData: sources,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  try {
    const [stripped] = (await once(worker, 'message')) as [readonly string[]];
    return stripped;
  } finally {
    await worker.terminate();
  }
}
