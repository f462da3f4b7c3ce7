import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findUv } from '../applications/packages.ts';
import { type Language, LANGUAGES } from './languages.ts';

const PAGE = resolve(import.meta.dirname, '../../docs/connect/testcontainers.md');
const WITHIN_MS = 15 * 60_000;

/** The block of a language on the page, as it stands there. @throws Error: there is none, or there are several */
export function snippetOf({ fence }: Pick<Language, 'fence'>): string {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\`$`, 'gms'))];
  const [block, ...others] = blocks.map(([, text = '']) => text);
  if (block === undefined || others.length > 0) throw new Error(`${PAGE}: not one block of ${fence}`);
  return block;
}

/**
 * Checks the snippets of the page with their pinned libraries. Where `DOCKER_HOST` names an engine of containers, which
 * has the image `s3-cloud-gateway:demo`, they are run, too. @returns the exit code: 1 if any of them failed
 */
export async function main(): Promise<number> {
  const hasEngine = process.env['DOCKER_HOST'] !== undefined;
  if (!hasEngine) process.stderr.write('!!! the snippets are checked, but not run: there is no DOCKER_HOST !!!\n');
  const environment = { ...process.env, UV: await findUv() };
  let failed = 0;
  for (const language of LANGUAGES) {
    const folder = mkdtempSync(join(tmpdir(), 's3gw-testcontainers-'));
    try {
      for (const [name, text] of Object.entries({ ...language.files, [language.source]: snippetOf(language) })) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      await inFolder(folder, language.check, environment);
      process.stdout.write(`${language.fence}: checked\n`);
      if (!hasEngine) continue;
      const said = await inFolder(folder, language.run, environment);
      if (!/^hello$/m.test(said)) throw new Error(`it printed ${JSON.stringify(said)}`);
      process.stdout.write(`${language.fence}: run\n`);
    } catch (error) {
      failed += 1;
      process.stdout.write(`${language.fence}: ${error instanceof Error ? error.message : String(error)}\n`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  process.stdout.write(`${LANGUAGES.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

/** Standard output of a command. @throws Error with all that it said */
async function inFolder(folder: string, command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const options = { cwd: folder, env, timeout: WITHIN_MS };
  const { stdout } = await promisify(execFile)('bash', ['-c', command], options).catch((error: unknown) => {
    const { stdout: said, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command}\n${said ?? ''}${stderr ?? ''}`, { cause: error });
  });
  return stdout;
}
