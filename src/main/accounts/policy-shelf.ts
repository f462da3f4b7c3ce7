import type { AccountConfig } from '../../../config/schema-accounts.ts';
import type { GroupConfig, PolicyConfig, RoleConfig, UserConfig } from '../../../config/schema-identities.ts';
import type { Permissions } from '../../access/accounts.ts';
import { expandShortForm } from '../../access/identities/short-form.ts';
import type { NamedPolicy, PolicyDocument, PolicyKind } from '../../access/policy/document.ts';
import { parsePolicy } from '../../access/policy/parse.ts';
import { readTextFile, type SecretSources } from '../secrets.ts';
import { StartError } from '../start-error.ts';

/** What policies may be attached to. */
type Attachable =
  | Pick<UserConfig | RoleConfig, 'name' | 'policy' | 'policies' | 'buckets' | 'prefix' | 'readOnly'>
  | GroupConfig;

type NamedPolicies = ReadonlyMap<string, NamedPolicy>;

/** The policies of one account: named ones, and those that its users, groups and roles have. */
export class PolicyShelf {
  readonly #byName: NamedPolicies;
  readonly #groups: ReadonlyMap<string, readonly NamedPolicy[]>;
  readonly #sources: SecretSources;

  /** @throws StartError a file that cannot be read, a policy or group that is not there */
  constructor({ policies, groups }: AccountConfig, where: string, sources: SecretSources) {
    this.#sources = sources;
    this.#byName = new Map(
      Object.entries(policies).map(([name, policy]) => [
        name,
        { name, document: this.documentOf(policy, `${where}.policies.${name}`) },
      ]),
    );
    this.#groups = new Map(
      groups.map((group, at) => {
        if (groups.findIndex(({ name }) => name === group.name) !== at) {
          throw new StartError([`${where}.groups: group ${group.name} is there twice`]);
        }
        return [group.name, this.#attachedTo(group, `${where}.groups.${at}`, `group ${group.name}`)];
      }),
    );
  }

  get named(): readonly NamedPolicy[] {
    return [...this.#byName.values()];
  }

  /**
   * @param groups whose policies count, too
   * @param added policies that the identity may name besides those of the account, which win
   */
  permissionsOf(
    identity: UserConfig | RoleConfig,
    where: string,
    groups: readonly string[] = [],
    added: NamedPolicies = new Map(),
  ): Permissions {
    const own = this.#attachedTo(identity, where, identity.name, added);
    const shared = groups.flatMap(
      (group, at) => this.#groups.get(group) ?? missing(`${where}.groups.${at}`, `there is no group ${group}`),
    );
    if (identity.policy !== 'account') return [...own, ...shared];
    if (own.length + shared.length > 0) {
      throw new StartError([`${where}.policy: account allows everything; expected no other policies beside it`]);
    }
    return 'account';
  }

  /** @throws StartError what is wrong in it */
  documentOf(policy: PolicyConfig, where: string, kind: PolicyKind = 'identity'): PolicyDocument {
    return parsed(this.#textOf(policy, where), kind, where);
  }

  #textOf(policy: PolicyConfig, where: string): string {
    if ('file' in policy && typeof policy.file === 'string') {
      return readTextFile(policy.file, `${where}.file`, this.#sources);
    }
    if ('buckets' in policy && Array.isArray(policy.buckets)) {
      return expandShortForm(policy as Parameters<typeof expandShortForm>[0]);
    }
    return JSON.stringify(policy);
  }

  #attachedTo(thing: Attachable, where: string, label: string, added: NamedPolicies = new Map()): NamedPolicy[] {
    const { buckets, prefix, readOnly, policies } = thing;
    const listed = policies.map((policy, at) =>
      typeof policy === 'string'
        ? (this.#byName.get(policy) ??
          added.get(policy) ??
          missing(`${where}.policies.${at}`, `there is no policy ${policy} in this account`))
        : { name: `${label}/policies/${at}`, document: this.documentOf(policy, `${where}.policies.${at}`) },
    );
    return buckets === undefined
      ? listed
      : [
          {
            name: `${label}/buckets`,
            document: parsed(expandShortForm({ buckets, prefix, readOnly }), 'identity', where),
          },
          ...listed,
        ];
  }
}

export function parsed(text: string, kind: PolicyKind, where: string): PolicyDocument {
  const { document, faults } = parsePolicy(text, kind);
  if (document === undefined) {
    throw new StartError(faults.map(({ path, sentence }) => `${where}${path === '' ? '' : `.${path}`}: ${sentence}`));
  }
  return document;
}

function missing(where: string, what: string): never {
  throw new StartError([`${where}: ${what}`]);
}
