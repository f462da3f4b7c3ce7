import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const UPDATE_MS = 60_000;
const INSTALL_MS = 240_000;

/**
 * Path of a Chromium: `CHROMIUM` names it, else the first on the path. In CI, one that is missing is installed from
 * Debian.
 */
export function findChromium(): string | undefined {
  const named = process.env['CHROMIUM'];
  if (named !== undefined) return named;
  return onPath() ?? (mayInstall() ? install() : undefined);
}

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function mayInstall(): boolean {
  return (
    process.env['CI'] === 'true' &&
    process.getuid?.() === 0 &&
    spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0
  );
}

function install(): string | undefined {
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  try {
    execFileSync('apt-get', ['update'], { ...options, timeout: UPDATE_MS });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], {
      ...options,
      timeout: INSTALL_MS,
    });
  } catch {
    // The tests say that there is none.
  }
  return onPath();
}
