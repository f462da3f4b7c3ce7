import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../config/schema.ts';
import type { ManagedDocument } from '../../../config/schema-managed.ts';
import { ManagementError } from '../../admin/manage/management-error.ts';
import type { Call } from '../../observe/call.ts';
import type { AccountsInForce } from '../accounts/accounts-in-force.ts';
import type { Faults } from '../accounts/managed-additions.ts';
import { type DocumentPlace, PlaceError } from './document-place.ts';
import { faultsOf, type FollowedDocument } from './followed-document.ts';

/** Below the 1 MiB that a Secret may hold. */
const MAX_DOCUMENT_BYTES = 1_000_000;
/** Rounds of reading, editing and replacing while other processes change the document. */
const MAX_ROUNDS = 12;
/** Longest pause between two of them; each writer takes another one. */
const PAUSE_MS = 100;
/** What one replacement may take. */
const REPLACE_MS = 20_000;
/** Changes that wait for each other in one process. */
const MAX_WAITING = 100;

/** The accounts as they are at this moment. */
export interface AccountsView {
  readonly document: ManagedDocument;
  /** Those of the operator's own files. */
  readonly operators: Config['accounts'];
  /** What of the document is not in force. */
  readonly faults: Faults;
}

/** What a change makes of the document, and what is answered to it. The same document: there is nothing to change. */
export interface Edited<T> {
  readonly document: ManagedDocument;
  readonly answer: T;
  /** It takes something away and adds nothing: whatever else is wrong, that is done. */
  readonly isRemoval?: true;
}

/** What handlers do with the document. */
export type ManagedDocumentAccess = Pick<ManagedAccounts, 'view' | 'change'>;

interface ManagedOptions {
  readonly place: DocumentPlace;
  readonly inForce: AccountsInForce;
  readonly followed: Pick<FollowedDocument, 'look' | 'take' | 'version'>;
}

/** The document that all processes share, as the admin API reads and changes it. */
export class ManagedAccounts {
  readonly #options: ManagedOptions;
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ManagedOptions) {
    this.#options = options;
  }

  /**
   * The accounts as they are now. Costs one look at the version, which all share that ask meanwhile; where that is
   * another one, this process goes by the newest document from then on.
   * @throws ManagementError
   */
  async view(): Promise<AccountsView> {
    return (await this.#newest()).view;
  }

  /**
   * Makes a change: looks at the document, edits it, and replaces it if it has not been replaced since; else all of it
   * again. What would not be in force is refused. When this returns, the change is in force in this process, too.
   * @param edit called once in each round
   * @throws ManagementError, and what `edit` throws
   */
  async change<T>(call: Call, edit: (view: AccountsView) => Edited<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING) {
      throw new ManagementError('ServiceUnavailable', 'too many changes wait; try again');
    }
    this.#waiting += 1;
    // One after the other: those of one process would only get in each other's way.
    const turn = this.#turn.then(() => this.#change(call, edit));
    this.#turn = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #change<T>({ signal }: Call, edit: (view: AccountsView) => Edited<T>): Promise<T> {
    const { followed, inForce } = this.#options;
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const { view, version: from } = await this.#newest();
      const edited = edit(view);
      if (edited.document === view.document) return edited.answer;
      const document = { ...edited.document, change: randomUUID() };
      const text = JSON.stringify(document);
      if (edited.isRemoval !== true) requireGood(inForce, { before: view, document, text });
      const version = await this.#replace(text, from, signal);
      if (version !== undefined) {
        followed.take(document, { from, version });
        return edited.answer;
      }
      await sleep(Math.random() * PAUSE_MS, undefined, { signal });
    }
    throw new ManagementError('ConcurrentModification', 'others change the accounts all the time; try again');
  }

  async #newest(): Promise<{ readonly view: AccountsView; readonly version: string }> {
    const { inForce, followed } = this.#options;
    try {
      await followed.look();
    } catch (error) {
      throw unavailable(error);
    }
    // At one moment: a change that is made of this document replaces this version, and no other.
    const { document, loaded, faults } = inForce;
    return { view: { document, operators: loaded.config.accounts, faults }, version: followed.version };
  }

  /** @returns the new version; undefined: it has been replaced by others since it was read */
  async #replace(text: string, from: string, signal: AbortSignal): Promise<string | undefined> {
    const { place } = this.#options;
    try {
      return await place.replace(text, from, AbortSignal.any([signal, AbortSignal.timeout(REPLACE_MS)]));
    } catch (error) {
      if (!(error instanceof PlaceError) || !error.lost) throw unavailable(error);
      // The place itself tells what became of a change whose answer is lost.
      const now = await place.read(AbortSignal.timeout(REPLACE_MS)).catch(() => undefined);
      if (now?.text === text) return now.version;
      throw new ManagementError('OutcomeUnknown', `${error.message}; the change may have been made`, error);
    }
  }
}

interface NewDocument {
  readonly before: AccountsView;
  readonly document: ManagedDocument;
  readonly text: string;
}

/**
 * What was out of force before, and is as it was, keeps no other change from being made.
 * @throws ManagementError InvalidInput, with what the loader says; LimitExceeded
 */
function requireGood(inForce: AccountsInForce, { before, document, text }: NewDocument): void {
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) {
    const most = String(MAX_DOCUMENT_BYTES);
    throw new ManagementError('LimitExceeded', `the document of all managed accounts would exceed ${most} bytes`);
  }
  const faults = [...inForce.faultsOf(document)].filter(([entry]) => !before.faults.has(entry));
  if (faults.length === 0) return;
  throw new ManagementError('InvalidInput', faults.map(([, { what, reason }]) => `${what}: ${reason}`).join('; '));
}

function unavailable(error: unknown): unknown {
  const reason = error instanceof PlaceError ? error.message : faultsOf(error)?.join('; ');
  return reason === undefined ? error : new ManagementError('ServiceUnavailable', reason, error);
}
