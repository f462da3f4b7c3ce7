import type { PolicyCaller } from './context.ts';
import type { PrincipalEntry, PrincipalSet } from './document.ts';

/**
 * How a statement names a caller, from the widest to the narrowest. `anyone`, `role` and `caller` give the permission
 * to the caller. `account` gives it to the account, whose own policies decide which of its users have it.
 */
export type Through = 'account' | 'anyone' | 'role' | 'caller';

const NARROWNESS: readonly Through[] = ['account', 'anyone', 'role', 'caller'];

export function isNarrower(one: Through, other: Through | undefined): boolean {
  return other === undefined || NARROWNESS.indexOf(one) > NARROWNESS.indexOf(other);
}

const ACCOUNT = /^\d{12}$/;
const ROOT_ARN = /^arn:aws:iam::(\d{12}):root$/;
const CALLER_ARN =
  /^arn:aws:(?:iam::(?:\d{12}|cloudfront):(?:user|role)\/|sts::\d{12}:(?:assumed-role|federated-user)\/)[^*?]+$/;
const CANONICAL_ID = /^[\x21-\x7e]+$/;
const PROVIDER = /^[\x21-\x7e]+$/;
const SERVICE = /^[a-z0-9.-]+\.amazonaws\.com(?:\.cn)?$/;

/**
 * Readers of a principal's value, by the kind of the principal. They answer undefined for a value that names no
 * principal.
 */
export const PRINCIPAL_READERS: ReadonlyMap<string, (value: string) => PrincipalEntry | undefined> = new Map(
  Object.entries({
    AWS: readAws,
    CanonicalUser: (id: string) =>
      CANONICAL_ID.test(id) && !/[*?]/.test(id) ? ({ kind: 'canonicalUser', id } as const) : undefined,
    Federated: (provider: string) => (PROVIDER.test(provider) ? ({ kind: 'federated', provider } as const) : undefined),
    Service: (name: string) => (SERVICE.test(name) ? ({ kind: 'service', name } as const) : undefined),
  }),
);

export const ANYONE: PrincipalEntry = Object.freeze({ kind: 'anyone' });

function readAws(value: string): PrincipalEntry | undefined {
  if (value === '*') return ANYONE;
  if (ACCOUNT.test(value)) return { kind: 'account', number: value };
  const root = ROOT_ARN.exec(value)?.[1];
  if (root !== undefined) return { kind: 'account', number: root };
  return CALLER_ARN.test(value) ? { kind: 'arn', arn: value } : undefined;
}

/**
 * How an entry names the caller; undefined: it does not. An Allow for anyone lets no service in: a service writes where
 * another bucket's owner tells it to, so it must be named.
 */
function entryNames(entry: PrincipalEntry, caller: PolicyCaller, effect: 'Allow' | 'Deny'): Through | undefined {
  const whole: Through = caller.isRoot ? 'caller' : 'account';
  switch (entry.kind) {
    case 'anyone':
      return caller.service !== undefined && effect === 'Allow' ? undefined : 'anyone';
    case 'account':
      return entry.number === caller.accountNumber ? whole : undefined;
    case 'canonicalUser':
      return entry.id === caller.canonicalId ? whole : undefined;
    case 'federated':
      return isOf(entry.provider, caller) ? 'role' : undefined;
    case 'service':
      return caller.service !== undefined && entry.name === caller.service ? 'caller' : undefined;
    case 'arn': {
      const place = caller.arns.indexOf(entry.arn);
      return place < 0 ? undefined : place === 0 ? 'caller' : 'role';
    }
    default:
      return entry satisfies never;
  }
}

/** Whether the caller came by this identity provider, or, with `*`, by any. */
function isOf(provider: string, caller: PolicyCaller): boolean {
  return caller.provider !== undefined && (provider === '*' || provider === caller.provider);
}

/**
 * How a statement's Principal or NotPrincipal names the caller; undefined: it does not.
 *
 * NotPrincipal excludes those whom it lists, and any doubt goes against the caller. A Deny spares a caller only if it
 * lists everything that the caller is: the account, the role, and the session or user. An Allow excludes a caller if it
 * lists any of these.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_notprincipal.html
 */
export function namedBy(
  { not, entries }: PrincipalSet,
  caller: PolicyCaller,
  effect: 'Allow' | 'Deny',
): Through | undefined {
  if (not) {
    if (caller.service !== undefined && effect === 'Allow') return undefined;
    const isLeftOut =
      effect === 'Deny'
        ? namesAll(entries, caller)
        : entries.some((entry) => entryNames(entry, caller, effect) !== undefined);
    return isLeftOut ? undefined : 'anyone';
  }
  let found: Through | undefined;
  for (const entry of entries) {
    const through = entryNames(entry, caller, effect);
    if (through !== undefined && isNarrower(through, found)) found = through;
  }
  return found;
}

function namesAll(entries: readonly PrincipalEntry[], caller: PolicyCaller): boolean {
  const lists = (fits: (entry: PrincipalEntry) => boolean): boolean =>
    entries.some((entry) => entry.kind === 'anyone' || fits(entry));
  const { service } = caller;
  if (service !== undefined) return lists((entry) => entry.kind === 'service' && entry.name === service);
  if (caller.accountNumber === undefined) return lists(() => false);
  const account = lists(
    (entry) =>
      (entry.kind === 'account' && entry.number === caller.accountNumber) ||
      (entry.kind === 'canonicalUser' && entry.id === caller.canonicalId),
  );
  return (
    account &&
    (caller.isRoot || caller.arns.every((arn) => lists((entry) => entry.kind === 'arn' && entry.arn === arn)))
  );
}
