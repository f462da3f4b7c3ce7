import { createHash } from 'node:crypto';
import type { VersionsListing } from '../history/check-listing.ts';
import type { Action, Event, Mode, Outcome } from '../history/event.ts';
import type { Account, PlannedAction, VersionPick } from './plan.ts';

export const KEYS = ['k', 'l'] as const;

interface Recorded {
  readonly id: string;
  readonly account: Account;
  readonly began: number;
  readonly action: Action;
  readonly outcome: Outcome;
}

/** What the clients of a run asked and were told, and what they all know from it. */
export class Recorder {
  readonly events: Event[] = [];
  readonly listings: VersionsListing[] = [];
  /** What was wrong at first sight. */
  readonly wrong: string[] = [];
  readonly modes: readonly Mode[];
  readonly #writers = new Map<string, Set<string>>();
  readonly #copying = new Set<string>();
  readonly #bodies = new Map<string, string>();
  readonly #untold = new Set<string>();
  readonly #copiesUnderKey = new Set<string>();
  readonly #encrypted = new Map<string, string>();
  readonly #ids = new Map<string, string[]>();
  readonly #etags = new Map<string, string[]>();
  #tick = 0;

  constructor(modes: readonly Mode[]) {
    this.modes = modes;
  }

  /** A moment that no other has. */
  tick(): number {
    return ++this.#tick;
  }

  /** An answer that is unknown stays so until `settled`. */
  add(parts: Recorded & { readonly key: string }): void {
    const ended = parts.outcome.kind === 'unknown' ? Infinity : this.tick();
    this.events.push({ ...parts, ended });
    if (parts.outcome.kind === 'done' && parts.outcome.versionId !== undefined) {
      this.learn(parts.key, parts.outcome.versionId);
    }
  }

  addForBucket(parts: Recorded): void {
    for (const key of KEYS) this.add({ ...parts, key });
  }

  /** From now on nothing that was not answered can land any more. */
  settled(): void {
    const ended = this.tick();
    for (const [index, event] of this.events.entries()) {
      if (event.ended === Infinity) this.events[index] = { ...event, ended };
    }
  }

  /** Bytes that somebody is going to write. @returns their ETag */
  write(writer: string, text: string, isUpload: boolean): string {
    const md5 = createHash('md5').update(text).digest();
    const etag = isUpload ? `${createHash('md5').update(md5).digest('hex')}-1` : md5.toString('hex');
    this.#bodies.set(etag, text);
    this.alsoWrites(writer, etag);
    return etag;
  }

  alsoWrites(writer: string, etag: string): void {
    const writers = this.#writers.get(etag) ?? new Set();
    this.#writers.set(etag, writers.add(writer));
  }

  /**
   * Of an ETag that nobody was told yet: whoever wrote under a key and was not told his. Of any other also the copies
   * that were not told theirs: it is that of their source.
   */
  writersOf(etag: string): readonly string[] {
    const known = this.#writers.get(etag);
    return known === undefined ? [...this.#untold] : [...new Set([...known, ...this.#copying])];
  }

  /** Whether it is the ETag of bytes that somebody wrote, under no key. */
  isBody(etag: string): boolean {
    return this.#bodies.has(etag);
  }

  /** Somebody is going to copy; `copied` when he was told the ETag. */
  copying(writer: string): void {
    this.#copying.add(writer);
  }

  copied(writer: string): void {
    this.#copying.delete(writer);
  }

  /** Bytes that somebody is going to write under a key: their ETag is whatever it will be. */
  writeUnderKey(writer: string): void {
    this.#untold.add(writer);
  }

  /** Somebody is going to copy to under a key: the bytes are somebody's, the ETag is not that of the bytes. */
  copyUnderKey(writer: string): void {
    this.writeUnderKey(writer);
    this.#copiesUnderKey.add(writer);
  }

  /** Of a copy that has the ETag of its bytes: its source may be a copy under a key, which has another. */
  sourcesOf(etag: string): readonly string[] {
    return [...new Set([...this.writersOf(etag), ...this.#copiesUnderKey])];
  }

  checkBody(who: string, etag: string, text: string): void {
    const expected = this.#bodies.get(etag);
    if (expected !== text) {
      this.wrong.push(
        `${who} read torn bytes: ${JSON.stringify(text)} under ETag ${etag}, which is that of ${JSON.stringify(expected)}`,
      );
    }
  }

  /** ETags of encrypted bytes say nothing of them: they are whole if somebody wrote them, and stay the same. */
  checkEncrypted(who: string, { etag, writer, text }: { etag: string; writer: string; text: string }): void {
    const isKnown = [...this.#bodies.values()].includes(text);
    const known = this.#encrypted.get(etag) ?? text;
    this.#encrypted.set(etag, text);
    this.alsoWrites(writer, etag);
    if (!isKnown || known !== text) {
      this.wrong.push(`${who} read torn bytes under a key: ${JSON.stringify(text)}, written by ${writer}`);
    }
  }

  learn(key: string, versionId: string): void {
    const ids = this.#ids.get(key) ?? [];
    if (versionId !== 'null' && !ids.includes(versionId)) this.#ids.set(key, [...ids, versionId]);
  }

  learnEtag(key: string, etag: string): void {
    this.#etags.set(key, [...(this.#etags.get(key) ?? []).filter((other) => other !== etag), etag]);
  }

  pick({ key }: Pick<PlannedAction, 'key'>, pick: VersionPick | undefined): string | undefined {
    if (pick === undefined || pick === 'null') return pick;
    const ids = this.#ids.get(key) ?? [];
    return ids.at(-1 - (pick % Math.max(1, ids.length))) ?? 'null';
  }

  etag(key: string, which: 'current' | 'stale'): string {
    const etags = this.#etags.get(key) ?? [];
    return etags.at(which === 'current' ? -1 : 0) ?? '0'.repeat(32);
  }
}
