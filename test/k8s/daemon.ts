import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const STOP_WITHIN_MS = 10_000;

/**
 * Runs a command and ends it when told to, or when the pipe that is its standard input closes: when we die, however
 * that happens.
 */
const WATCHED = `
  const [binary, ...args] = process.argv.slice(1);
  const child = require('node:child_process').spawn(binary, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  child.on('error', () => process.exit(1)).on('exit', (code) => process.exit(code ?? 1));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.stdin.resume().on('end', () => child.kill('SIGKILL'));
`;

/** A program that runs beside the tests, with its output in a file of the folder. */
export class Daemon {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #log: string;

  /** @param name of the file with its output, and in messages */
  constructor(folder: string, command: readonly string[], name: string) {
    this.#name = name;
    this.#log = join(folder, `${this.#name}.log`);
    const log = openSync(this.#log, 'a');
    this.#child = spawn(process.execPath, ['-e', WATCHED, '--', ...command], {
      cwd: folder,
      stdio: ['pipe', log, log],
    });
    closeSync(log);
  }

  /** @throws Error with the end of its output when it has ended by itself */
  assertRunning(): void {
    if (this.#child.exitCode === null) return;
    throw new Error(
      `${this.#name} ended with ${this.#child.exitCode}: ${readFileSync(this.#log, 'utf8').split('\n').slice(-12).join('\n')}`,
    );
  }

  /** SIGTERM, and after a while the end. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    // The watcher kills the program when its pipe closes.
    const insist = setTimeout(() => this.#child.stdin?.end(), STOP_WITHIN_MS);
    await exited;
    clearTimeout(insist);
  }
}
