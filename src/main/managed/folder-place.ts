import { randomUUID } from 'node:crypto';
import { addAbortListener } from 'node:events';
import { link, open, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type DocumentPlace, PlaceError, type PlacedText } from './document-place.ts';

const GENERATION = /^(\d{12})\.json$/;
const DRAFT = /^\.[0-9a-f-]{36}\.draft$/;
/** So many generations stay; a writer that stalled for longer than these took cannot know what became of its own. */
const KEPT = 20;
/** A draft so much older than the newest change is of a writer that has died. */
const STALE_DRAFT_MS = 10 * 60_000;

/**
 * A folder that all processes share. Each change is a file of its own, named by a number that counts up, and the one
 * with the highest number is in force. To make the next number is the compare-and-swap: `link` succeeds for one writer
 * only, on network file systems, too. So there is no lock that a dead process could keep.
 */
export class FolderPlace implements DocumentPlace {
  readonly label: string;
  readonly #folder: string;
  #highest = 0;
  /** Work that was left behind because it did not end in time. */
  #left = 0;

  /** @param folder absolute path */
  constructor(folder: string) {
    this.#folder = folder;
    this.label = `folder ${folder}`;
  }

  version(signal: AbortSignal): Promise<string> {
    return this.#within(signal, async () => (await this.#newest()).version);
  }

  read(signal: AbortSignal): Promise<PlacedText> {
    return this.#within(signal, async () => {
      const { generation, version } = await this.#newest();
      const text = generation === 0 ? '' : await readFile(this.#file(generation), 'utf8');
      // One that is being copied there by hand. Nothing at all would mean that all users are gone.
      if (generation > 0 && text === '') throw new PlaceError(`${this.label}: change ${String(generation)} is empty`);
      return { text, version };
    });
  }

  replace(text: string, from: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#within(signal, () => this.#replace(text, from), true);
  }

  async #replace(text: string, from: string): Promise<string | undefined> {
    const next = Number(from.split('-')[0]) + 1;
    const draft = await this.#answered(this.#writeDraft(text));
    try {
      if ((await this.#answered(this.#newest())).version !== from) return undefined;
      if (!(await this.#answered(this.#publish(draft, next, text), true))) return undefined;
    } finally {
      await unlink(draft).catch(() => undefined);
    }
    const made = await this.#answered(this.#versionOf(next), true);
    const newest = await this.#answered(this.#newest(), true);
    // The number may have been made, and removed again, long before: then it counts for nothing.
    if (newest.generation >= next + KEPT) {
      throw new PlaceError(`${this.label}: others have gone on while this change was made`, { lost: true });
    }
    await this.#removeOld(newest.generation);
    return made;
  }

  /**
   * The newest change; generation 0: none was written yet. Never lower than before: keys that were removed must not
   * come back.
   */
  async #newest(): Promise<{ readonly generation: number; readonly version: string }> {
    // Others may look meanwhile, and see more.
    const highest = this.#highest;
    const generation = generationsIn(await readdir(this.#folder)).reduce((most, one) => Math.max(most, one), 0);
    if (generation < highest) throw new PlaceError(`${this.label} has lost the change ${String(highest)}`);
    const version = generation === 0 ? '0' : await this.#versionOf(generation);
    this.#highest = Math.max(this.#highest, generation);
    return { generation, version };
  }

  /** By more than the number: a folder that was put back gets other changes under numbers that were there before. */
  async #versionOf(generation: number): Promise<string> {
    const { ino, size, mtimeMs } = await stat(this.#file(generation));
    return [generation, ino, size, mtimeMs].join('-');
  }

  #file(generation: number): string {
    return join(this.#folder, `${String(generation).padStart(12, '0')}.json`);
  }

  /** Whole and on the disk before it has its name. @returns its file */
  async #writeDraft(text: string): Promise<string> {
    const draft = join(this.#folder, `.${randomUUID()}.draft`);
    try {
      await writeThrough(draft, text);
      return draft;
    } catch (error) {
      await unlink(draft).catch(() => undefined);
      throw error;
    }
  }

  /** Where this fails, others may see the change. @returns false: another writer has made this generation */
  async #publish(draft: string, generation: number, text: string): Promise<boolean> {
    try {
      await link(draft, this.#file(generation));
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
      // A network file system may have sent the link twice: no other writer has the same text.
      return (await readFile(this.#file(generation), 'utf8')) === text;
    }
    await syncFolder(this.#folder);
    return true;
  }

  /** As far as it goes: what is left is removed with a later change. */
  async #removeOld(newest: number): Promise<void> {
    try {
      const names = await readdir(this.#folder);
      const old = generationsIn(names).filter((generation) => generation <= newest - KEPT);
      for (const generation of old) await unlink(this.#file(generation));
      // Both times are the file system's own.
      const { mtimeMs: now } = await stat(this.#file(newest));
      for (const draft of names.filter((name) => DRAFT.test(name)).map((name) => join(this.#folder, name))) {
        if ((await stat(draft)).mtimeMs < now - STALE_DRAFT_MS) await unlink(draft);
      }
    } catch {
      // Another writer was faster.
    }
  }

  /**
   * Work of the file system cannot be ended: where a server is away, it holds a thread of the process for as long. So
   * what does not end in time is left behind, and nothing else is begun before it has ended.
   * @param lost where it ends too late, others may see what it has done
   */
  async #within<T>(signal: AbortSignal, work: () => Promise<T>, lost = false): Promise<T> {
    if (this.#left > 0) throw new PlaceError(`${this.label} does not answer (it was asked before, and still waits)`);
    const worked = this.#answered(work());
    const late = Promise.withResolvers<never>();
    const listener = addAbortListener(signal, () => {
      this.#left += 1;
      void worked.catch(() => undefined).finally(() => (this.#left -= 1));
      late.reject(new PlaceError(`${this.label} does not answer in time`, { lost, cause: signal.reason }));
    });
    try {
      return await Promise.race([worked, late.promise]);
    } finally {
      listener[Symbol.dispose]();
    }
  }

  async #answered<T>(work: Promise<T>, lost = false): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof PlaceError) {
        throw lost && !error.lost ? new PlaceError(error.message, { lost, cause: error }) : error;
      }
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      const what = code === 'ENOENT' ? 'is not there, or not whole' : 'does not answer';
      throw new PlaceError(`${this.label} ${what} (${code})`, { lost, cause: error });
    }
  }
}

function generationsIn(names: readonly string[]): number[] {
  return names.flatMap((name) => GENERATION.exec(name)?.[1] ?? []).map(Number);
}

async function writeThrough(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
