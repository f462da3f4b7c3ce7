import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Application } from './applications.ts';

const run = promisify(execFile);
/** The programs that do the work of applications. */
export const PROGRAMS = resolve(import.meta.dirname, 'programs');
export const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 's3-cloud-gateway/applications');
/** What brings packages from PyPI, each set in an environment of its own. */
const UV = 'uv==0.13.8';
const INTERPRETERS: Readonly<Record<string, string>> = { '.py': 'python3', '.sh': 'bash', '.rb': 'ruby' };

/** How the program of an application is started, with its packages at hand. */
export interface Prepared {
  /** Of the application itself: its first package. */
  readonly version: string;
  readonly command: string;
  /** The program is named by its name alone. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Folder of packages of npm, which programs find beside themselves only. */
  readonly modules?: string;
}

/** Fetches the packages of an application, unless they are here. @throws Error: a package cannot be had */
export async function prepare({ program, packages }: Application): Promise<Prepared> {
  if ('npm' in packages) return prepareNpm(program, packages.npm);
  const interpreter = INTERPRETERS[extname(program)] ?? '';
  if ('pip' in packages) return preparePip([interpreter, program], packages.pip);
  const version = await installedVersion(packages.apt);
  return { version, command: interpreter, args: [program], environment: { PYTHONPATH: PROGRAMS } };
}

async function preparePip(program: readonly string[], packages: readonly string[]): Promise<Prepared> {
  const uv = await findUv();
  const asked = packages.flatMap((one) => ['--with', one]);
  const environment = { UV_CACHE_DIR: join(CACHE, 'uv'), PYTHONPATH: PROGRAMS };
  const args = ['run', '--no-project', '--quiet', ...asked];
  await run(uv, [...args, 'true'], { env: { ...process.env, ...environment } });
  return { version: versionOf(packages[0]), command: uv, args: [...args, ...program], environment };
}

/** `name[extra]==1.2.3`, `@scope/name@1.2.3` */
function versionOf(pinned = ''): string {
  return pinned.slice(Math.max(pinned.lastIndexOf('='), pinned.lastIndexOf('@')) + 1);
}

export async function findUv(): Promise<string> {
  const folder = join(CACHE, UV);
  const uv = join(folder, 'bin/uv');
  if (existsSync(uv)) return uv;
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin/pip'), ['install', '--quiet', UV]);
  return uv;
}

async function prepareNpm(program: string, packages: readonly string[]): Promise<Prepared> {
  const folder = join(CACHE, 'npm', packages.join('+').replaceAll('/', '_'));
  if (!existsSync(join(folder, 'package-lock.json'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--save-exact', ...packages], { cwd: folder });
  }
  const modules = join(folder, 'node_modules');
  const environment = { PATH: `${join(modules, '.bin')}:${process.env['PATH'] ?? ''}` };
  return { version: versionOf(packages[0]), command: process.execPath, args: [program], environment, modules };
}

/** The release of Debian's first package. @throws Error that names what is to be installed */
async function installedVersion(packages: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run('dpkg-query', ['--show', '--showformat', '${Version}\n', ...packages]);
    return (
      stdout
        .split('\n')[0]
        ?.replace(/^\d+:/, '')
        .replace(/[-+~].*$/, '') ?? ''
    );
  } catch (error) {
    throw new Error(`apt-get install ${packages.join(' ')}`, { cause: error });
  }
}
