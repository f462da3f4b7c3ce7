import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../../config/load.ts';
import { parseManagedDocument } from '../../../config/managed-document.ts';
import type { ManagedDocument } from '../../../config/schema-managed.ts';
import type { Log } from '../../observe/log.ts';
import type { AccountsInForce } from '../accounts/accounts-in-force.ts';
import type { Faults } from '../accounts/managed-additions.ts';
import { StartError, wordsOf } from '../start-error.ts';
import type { DocumentPlace } from './document-place.ts';

/** What one look may take. */
const LOOK_MS = 5000;
/** So many entries that are not in force are named in one line of the log. */
const MAX_NAMED = 100;

interface FollowedOptions {
  readonly place: DocumentPlace;
  readonly inForce: AccountsInForce;
  /** Of the document that is in force. */
  readonly version: string;
  readonly log: Log;
}

/**
 * The document as one process goes by it. What does not answer, or is no document, changes nothing: the last one stays
 * in force, which the log tells once and `age` all the time.
 */
export class FollowedDocument {
  readonly #options: FollowedOptions;
  #version: string;
  #confirmedAt = performance.now();
  /** What was told last of what is wrong, and of what is not in force. */
  #told: string | undefined;
  #toldFaults: Faults | undefined;
  #toldEntries = '';
  /** The look under way, and the one after it, which all share that came meanwhile. */
  #looking: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(options: FollowedOptions) {
    this.#options = options;
    this.#version = options.version;
  }

  /** Of the document that is in force. */
  get version(): string {
    return this.#version;
  }

  /** Milliseconds since what is in force was last known to be the newest. */
  get age(): number {
    return performance.now() - this.#confirmedAt;
  }

  /** How much of the document is not in force. */
  get leftOut(): number {
    return this.#options.inForce.faults.size;
  }

  /**
   * Puts the newest document in force. The look begins after this call; those who call meanwhile share one.
   * @throws PlaceError the place does not answer; ConfigError: what lies there is no document
   */
  look(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#looking === undefined) return this.#begin();
    this.#next = this.#looking
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#begin();
      });
    return this.#next;
  }

  /** Looks so often, until the signal ends it. */
  async follow(everyMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // The log has been told.
      await this.look().catch(() => undefined);
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /**
   * Puts a document in force that this process has just written.
   * @param from version that it was made from
   */
  take(document: ManagedDocument, { from, version }: { readonly from: string; readonly version: string }): void {
    // A look has come in between: it has seen this document, or a later one.
    if (this.#version !== from) return;
    this.#enforce(document, version);
  }

  #begin(): Promise<void> {
    this.#looking = this.#look(AbortSignal.timeout(LOOK_MS)).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { place, log } = this.#options;
    const begunAt = performance.now();
    // The operator's files may have changed, too.
    this.#tellFaults();
    try {
      while ((await place.version(signal)) !== this.#version) await this.#read(signal);
    } catch (error) {
      const reason = wordsOf(error);
      if (reason !== this.#told) log.error({ place: place.label, reason }, 'managed accounts stay as they were');
      this.#told = reason;
      throw error;
    }
    this.#confirmedAt = begunAt;
    if (this.#told !== undefined) log.info({ place: place.label }, 'managed accounts are followed again');
    this.#told = undefined;
  }

  async #read(signal: AbortSignal): Promise<void> {
    const before = this.#version;
    const { text, version } = await this.#options.place.read(signal);
    const document = parseManagedDocument(text);
    // A change of this process has been put in force meanwhile: what was read may be older.
    if (this.#version === before) this.#enforce(document, version);
  }

  #enforce(document: ManagedDocument, version: string): void {
    const { place, inForce, log } = this.#options;
    inForce.replaceDocument(document);
    this.#version = version;
    const users = document.accounts.reduce((sum, account) => sum + account.users.length, 0);
    log.info({ place: place.label, version, users }, 'managed accounts reloaded');
    this.#tellFaults();
  }

  /** Names what is not in force, whenever that has changed. */
  #tellFaults(): void {
    const { inForce, log } = this.#options;
    if (inForce.faults === this.#toldFaults) return;
    this.#toldFaults = inForce.faults;
    const count = inForce.faults.size;
    const entries = [...inForce.faults.values()].slice(0, MAX_NAMED).map(({ what, reason }) => `${what}: ${reason}`);
    const text = JSON.stringify([count, entries]);
    if (text === this.#toldEntries) return;
    const hadSome = this.#toldEntries !== '';
    this.#toldEntries = text;
    if (count > 0) log.warn({ entries, count }, 'some managed accounts are not in force');
    else if (hadSome) log.info({}, 'all managed accounts are in force');
  }
}

/** What is wrong with a document, in lines; undefined: the error is another one. */
export function faultsOf(error: unknown): readonly string[] | undefined {
  return error instanceof ConfigError || error instanceof StartError ? error.lines : undefined;
}
