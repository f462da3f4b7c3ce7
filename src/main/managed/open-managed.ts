import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedConfig } from '../../../config/load.ts';
import { EMPTY_DOCUMENT, parseManagedDocument } from '../../../config/managed-document.ts';
import type { ManagedDocument, ManagedSettings } from '../../../config/schema-managed.ts';
import type { Log } from '../../observe/log.ts';
import { AccountsInForce } from '../accounts/accounts-in-force.ts';
import { kubernetesApi } from '../kubernetes.ts';
import type { SecretSources } from '../secrets.ts';
import { StartError, wordsOf } from '../start-error.ts';
import { type DocumentPlace, PlaceError } from './document-place.ts';
import { FollowedDocument } from './followed-document.ts';
import { FolderPlace } from './folder-place.ts';
import { ManagedAccounts } from './managed-accounts.ts';
import { SecretPlace } from './secret-place.ts';

/** How often and how long the first document is asked for. */
const FIRST_TRIES = 6;
const FIRST_TRY_MS = 5000;
const FIRST_PAUSE_MS = 1000;

/** Where the document of a configuration lies, and which of its versions is in force. */
interface OpenedDocument {
  readonly place: DocumentPlace;
  readonly version: string;
}

/** What a process that serves does with the document. */
export interface RunningManaged {
  readonly accounts: ManagedAccounts;
  readonly followed: FollowedDocument;
}

/** The accounts that a process begins with. */
export interface OpenedAccounts {
  readonly inForce: AccountsInForce;
  /** Undefined: the configuration has no managed accounts. */
  readonly opened: OpenedDocument | undefined;
}

/**
 * Opens the accounts of a configuration. A process that cannot read the document does not start: without it, it would
 * refuse users whose keys are good, and balancers would not go elsewhere.
 * @throws StartError, ConfigError
 */
export async function openAccounts(loaded: LoadedConfig, sources: SecretSources): Promise<OpenedAccounts> {
  const { managedAccounts } = loaded.config;
  if (managedAccounts === undefined) {
    return { inForce: new AccountsInForce({ loaded, document: EMPTY_DOCUMENT }, sources), opened: undefined };
  }
  const place = placeOf(managedAccounts, sources);
  const { document, version } = await firstDocument(place);
  return { inForce: new AccountsInForce({ loaded, document }, sources), opened: { place, version } };
}

/** Undefined: the configuration has no managed accounts. */
export function runManaged({ inForce, opened }: OpenedAccounts, log: Log): RunningManaged | undefined {
  if (opened === undefined) return undefined;
  const followed = new FollowedDocument({ ...opened, inForce, log });
  return { followed, accounts: new ManagedAccounts({ place: opened.place, inForce, followed }) };
}

/**
 * Looks whether the folder is there, before anything starts. A start waits for it instead, as a volume may be mounted
 * late.
 * @throws StartError
 */
export function requireFolder(managed: ManagedSettings | undefined, sources: SecretSources): void {
  if (managed?.folder === undefined) return;
  const folder = resolve(sources.folder, managed.folder);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new StartError([`managedAccounts.folder: there is no folder ${folder}: make it first`]);
}

/** @throws StartError */
function placeOf({ folder, secret }: ManagedSettings, sources: SecretSources): DocumentPlace {
  if (folder !== undefined) return new FolderPlace(resolve(sources.folder, folder));
  if (secret === undefined) throw new Error('the schema lets no other place through');
  return new SecretPlace(kubernetesApi(secret, 'managedAccounts.secret', sources), secret);
}

/** @throws StartError the place does not answer for half a minute; ConfigError: what lies there is no document */
async function firstDocument(place: DocumentPlace): Promise<{ document: ManagedDocument; version: string }> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { text, version } = await place.read(AbortSignal.timeout(FIRST_TRY_MS));
      return { document: parseManagedDocument(text), version };
    } catch (error) {
      if (!(error instanceof PlaceError)) throw error;
      if (tries === FIRST_TRIES) throw new StartError([`managedAccounts: ${wordsOf(error)}`], error);
    }
    await sleep(FIRST_PAUSE_MS);
  }
}
