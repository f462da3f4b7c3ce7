import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { cached, orSkip } from '../helm/tools/cache.ts';
import { findClients, run } from '../helm/tools/helm.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const WORKFLOWS = join(ROOT, '.github/workflows');
const NAMES = readdirSync(WORKFLOWS).map((name) => join(WORKFLOWS, name));
const ACTIONLINT = '1.7.12';
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'release-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Built once from Go's module proxy into the user's cache folder. @throws Error */
async function findActionlint(): Promise<string> {
  const bin = await cached(`actionlint-${ACTIONLINT}`, async (workplace) => {
    const module = `github.com/rhysd/actionlint/cmd/actionlint@v${ACTIONLINT}`;
    const { code, output } = await run('go', ['install', module], { ...process.env, GOBIN: workplace });
    if (code !== 0) throw new Error(output);
  });
  return join(bin, 'actionlint');
}

describe('the workflows', () => {
  let actionlint: string | undefined;
  beforeAll(async () => {
    actionlint = await orSkip('actionlint', findActionlint);
  }, 300_000);

  test('actionlint finds nothing', async ({ skip }) => {
    if (actionlint === undefined) return skip();
    expect(await run(actionlint, NAMES)).toEqual({ code: 0, output: '' });
  });

  test('actionlint would find something', async ({ skip }) => {
    if (actionlint === undefined) return skip();
    const worse = join(folder, '.github/workflows/worse.yml');
    mkdirSync(dirname(worse), { recursive: true });
    const text = readFileSync(join(WORKFLOWS, 'ci.yml'), 'utf8').replace('matrix.runner', 'matrix.machine');
    writeFileSync(worse, text);
    expect((await run(actionlint, [worse])).code).toBe(1);
  });

  test.each(NAMES)('%s: actions are named by commit, scripts of this repository do the work', (name) => {
    const text = readFileSync(name, 'utf8');
    const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/@[0-9a-f]{40}$/);
    expect(text).toMatch(/run: \.ci\/\w+/);
  });
});

test("the chart's version is that of package.json", () => {
  const chart = parse(readFileSync(join(ROOT, 'helm/Chart.yaml'), 'utf8')) as { version: string; appVersion: string };
  expect(chart).toMatchObject({ version, appVersion: version });
});

describe('.ci/release', () => {
  let path: string | undefined;
  beforeAll(async () => {
    const clients = await orSkip('helm', findClients);
    if (clients !== undefined) path = `${dirname(clients.helm)}${delimiter}${process.env['PATH'] ?? ''}`;
  }, 300_000);

  test('makes all files of a release, and their checksums', async ({ skip }) => {
    if (path === undefined) return skip();
    const made = await run(join(ROOT, '.ci/release'), [folder, `v${version}`], { ...process.env, PATH: path });
    expect(made, made.output).toMatchObject({ code: 0 });
    const name = `s3-cloud-gateway-${version}`;
    for (const file of [`${name}.tar.gz`, `${name}.cdx.json`, `chart/${name}.tgz`]) {
      expect(made.output).toContain(`  ${file}`);
    }
    expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toContain('S3');
    const sums = await run('sh', ['-c', `cd ${folder} && sha256sum --check SHA256SUMS`]);
    expect(sums, sums.output).toMatchObject({ code: 0 });
    const listed = await run('tar', ['tzf', join(folder, `${name}.tar.gz`)]);
    for (const file of ['package-lock.json', 'src/start.mjs', 'config/default.yaml', 'LICENSE']) {
      expect(listed.output).toContain(`${name}/${file}\n`);
    }
    const chart = await run('tar', ['xzOf', join(folder, `chart/${name}.tgz`), 's3-cloud-gateway/Chart.yaml']);
    expect(parse(chart.output)).toMatchObject({ version, appVersion: version });
  }, 120_000);

  test('refuses a tag that is not the version', async ({ skip }) => {
    if (path === undefined) return skip();
    const refused = await run(join(ROOT, '.ci/release'), [join(folder, 'other'), 'v99.0.0'], {
      ...process.env,
      PATH: path,
    });
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('the tag is v99.0.0');
  });
});
