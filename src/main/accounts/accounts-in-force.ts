import { withManagedQuotas } from '../../../config/managed-document.ts';
import type { LoadedConfig } from '../../../config/load.ts';
import type { Config } from '../../../config/schema.ts';
import type { ManagedDocument } from '../../../config/schema-managed.ts';
import type { SecretSources } from '../secrets.ts';
import { directoryOf } from './account-settings.ts';
import {
  type Identities,
  openIdentities,
  type OwnIdentities,
  type ReplaceableIdentities,
  replaceableIdentities,
} from './identities.ts';
import { enlargedAccounts, type Faults } from './managed-additions.ts';

/** The two sources of accounts. */
interface AccountSources {
  /** The operator's own files. */
  readonly loaded: LoadedConfig;
  readonly document: ManagedDocument;
}

/** Both together, and what the files said when they were last good: a change of the document needs none of them. */
interface State extends AccountSources {
  readonly own: OwnIdentities;
  readonly identities: Identities;
  readonly faults: Faults;
  readonly quotas: Config['quotas'];
}

/**
 * The accounts that a process goes by: the operator's own files, and what the admin API has added to them. The files
 * load as a whole or not at all; of the document, what does not fit them is left out.
 */
export class AccountsInForce {
  readonly identities: ReplaceableIdentities;
  readonly #sources: SecretSources;
  #state: State;
  /** The state that was looked at last: a change is checked, and then put in force. */
  #checked: State;

  /** @throws StartError the operator's own files do not load */
  constructor({ loaded, document }: AccountSources, sources: SecretSources) {
    this.#sources = sources;
    this.#state = stateOf({ loaded, own: openIdentities(loaded, sources) }, document);
    this.#checked = this.#state;
    this.identities = replaceableIdentities(this.#state.identities);
  }

  /** The operator's own files, as they were last good. */
  get loaded(): LoadedConfig {
    return this.#state.loaded;
  }

  get document(): ManagedDocument {
    return this.#state.document;
  }

  /** What of the document is not in force, and why. Another map after each change. */
  get faults(): Faults {
    return this.#state.faults;
  }

  /** With those of the document. Another object after each change. */
  get quotas(): Config['quotas'] {
    return this.#state.quotas;
  }

  /** What of a document would not be in force. */
  faultsOf(document: ManagedDocument): Faults {
    return this.#with(document).faults;
  }

  /** Puts another state of the operator's own files in force. @throws StartError they do not load; nothing changes */
  replaceFiles(loaded: LoadedConfig): void {
    // Files that others can read are told of at the start.
    const { folder, environment } = this.#sources;
    this.#put(stateOf({ loaded, own: openIdentities(loaded, { folder, environment }) }, this.document));
  }

  /** Puts another document in force, whatever has become of the files since they were last good. */
  replaceDocument(document: ManagedDocument): void {
    this.#put(this.#with(document));
  }

  #with(document: ManagedDocument): State {
    const { own, document: checked } = this.#checked;
    if (own !== this.#state.own || checked !== document) this.#checked = stateOf(this.#state, document);
    return this.#checked;
  }

  #put(state: State): void {
    this.#state = state;
    this.identities.replace(state.identities);
  }
}

function stateOf({ loaded, own }: Pick<State, 'loaded' | 'own'>, document: ManagedDocument): State {
  const { settings, faults } = enlargedAccounts(own.own, document);
  const identities = { ...own, accounts: directoryOf(settings) };
  return { loaded, own, document, identities, faults, quotas: withManagedQuotas(loaded.config.quotas, document) };
}
