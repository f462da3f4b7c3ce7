import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { APPLICATIONS } from './applications.ts';

const FILE = resolve(import.meta.dirname, 'results.json');
const PAGE = resolve(import.meta.dirname, '../../docs/applications.md');

export const CLOUDS = ['azure', 'gcs'] as const;
export type Cloud = (typeof CLOUDS)[number];

/** What became of an application over one cloud. */
export interface CloudResult {
  readonly date: string;
  /** What went well, in the words of the program. */
  readonly steps: readonly string[];
  /** That the gateway answered meanwhile. */
  readonly requests: number;
  /** Of the program. */
  readonly seconds: number;
  /** Absent: everything went well, and no answer was of 5xx, but for 501. */
  readonly failure?: string;
}

/** Of the last run of each application, by its page. */
type Results = Record<
  string,
  { readonly version: string; readonly clouds: Readonly<Partial<Record<Cloud, CloudResult>>> }
>;

/** What was kept of earlier runs. */
export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Results;
}

/**
 * Keeps what became of an application, and writes the page anew. Runs that go on side by side read what the other one
 * kept. Of another version nothing is kept.
 */
export function keepResult(page: string, version: string, clouds: Results[string]['clouds']): void {
  const results = readResults();
  const before = results[page]?.version === version ? results[page].clouds : {};
  results[page] = { version, clouds: { ...before, ...clouds } };
  const known = APPLICATIONS.flatMap(({ page: one }) =>
    results[one] === undefined ? [] : [[one, results[one]] as const],
  );
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(known), undefined, 2)}\n`);
  writeFileSync(PAGE, renderPage(results));
}

const INTRODUCTION = `# Applications

Made by \`npm run test:applications -- --write\`; do not edit.

Each application below was fetched from a package registry in the version named, and configured by the block of its
page in [connect](connect/README.md), in which only endpoint, keys and bucket were replaced. It did its own work against
one gateway process: over Azurite (Azure) and over the double of Cloud Storage (Google). No real account was used. Bytes
that are read back are compared. "Ok" also says that the gateway answered no request with 5xx, 501 excepted. Where an
application cannot be had from a registry, its client library does the same work, and the table says so.

| Application | Version | What was run | Azure | Google |
|---|---|---|---|---|
`;

/** The text of docs/applications.md. */
export function renderPage(results: Results): string {
  const rows = APPLICATIONS.map(({ name, page, stead }) => {
    const { version, clouds } = results[page] ?? { version: '', clouds: {} };
    const steps = clouds.azure?.steps ?? clouds.gcs?.steps ?? [];
    const ran = `${stead === undefined ? '' : `${stead}: `}${steps.join('; ')}`;
    return `| [${name}](connect/${page}.md) | ${version} | ${ran} | ${outcome(clouds.azure)} | ${outcome(clouds.gcs)} |`;
  });
  return `${INTRODUCTION}${rows.join('\n')}\n`;
}

function outcome(result: CloudResult | undefined): string {
  if (result === undefined) return 'not run';
  const { failure, requests, date } = result;
  return failure === undefined ? `ok, ${requests} requests, ${date}` : `${failure}, ${date}`;
}
