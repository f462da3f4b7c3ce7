import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram } from '../applications/program.ts';
import { blocksUnder, filledIn, HANDED_OUT, type Move } from './page.ts';

/** Where the page says that its two blocks of configuration go, in the order in which they stand there. */
const CONFIGURATION = ['.aws/config', '.config/rclone/rclone.conf'];
const PROFILES = 'Two profiles';

/**
 * Runs the commands beneath headings of the page as they stand there, in a home of their own that has the page's
 * configuration and the programs that it hands out.
 * @param path folders of the tools that they call
 * @throws Error: a command failed
 */
export async function runSections(
  headings: readonly string[],
  move: Move,
  folder: string,
  path: readonly string[],
): Promise<void> {
  cpSync(HANDED_OUT, folder, { recursive: true });
  for (const [index, block] of blocksUnder(PROFILES, 'ini').entries()) {
    const file = join(folder, CONFIGURATION[index] ?? '');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, filledIn(block, move), { mode: 0o600 });
  }
  const commands = headings.flatMap((heading) => blocksUnder(heading, 'sh'));
  if (commands.length < headings.length) throw new Error(`a section without commands: ${headings.join(', ')}`);
  const script = ['set -euo pipefail', ...commands.map((block) => filledIn(block, move)), 'echo "* all ran"'];
  writeFileSync(join(folder, 'commands.sh'), script.join('\n'));
  const environment = { PATH: [...path, process.env['PATH'] ?? ''].join(':') };
  const { failure } = await runProgram(
    { version: '', command: 'bash', args: ['commands.sh'], environment },
    folder,
    {},
  );
  if (failure !== undefined) throw new Error(`${headings.join(', ')}: a command failed`);
}
