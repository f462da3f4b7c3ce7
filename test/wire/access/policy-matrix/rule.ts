/**
 * Who is let in, in a page: the order of AWS's evaluation logic, written down for this matrix, and independent of what
 * decides in the gateway.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */

/** What a document says about the action that a row is about: `deny` allows everything else, `nothing` too. */
export type Says = 'allow' | 'deny' | 'nothing';
/** Whom a bucket's policy lets: everybody, accounts, each caller by its own ARN, roles; `deny`: it denies everybody. */
export type BucketSays = 'nothing' | 'anyone' | 'accounts' | 'callers' | 'roles' | 'deny';
export type Kind = 'root' | 'user' | 'session' | 'otherRoot' | 'otherUser' | 'anonymous';

export interface Caller {
  readonly kind: Kind;
  /** Of the user, or of the role; an account and nobody have none. */
  readonly identity?: Says;
  /** Absent: the session is not narrowed. */
  readonly session?: Says;
}

/** Around a bucket besides its policy: canned ACLs for everybody, a public access block that switches these off. */
export interface Surroundings {
  readonly isPublic: boolean;
  readonly isBlocked: boolean;
}

/** What one action asks of whom. */
export interface Asked {
  /** `service`: no bucket's document is asked. */
  readonly level: 'service' | 'bucket';
  /** `all`: ACLs for everybody give it. `maker`: whoever makes the object has it. `owner`: no ACL does. */
  readonly byAcl: 'all' | 'maker' | 'owner';
  /** The account can always look at the policy, and change it. */
  readonly isPolicy: boolean;
}

const OF_ACCOUNT: ReadonlySet<Kind> = new Set<Kind>(['root', 'user', 'session']);

/** How the policy names the caller, if it lets him. */
function through(bucket: BucketSays, kind: Kind): 'anyone' | 'account' | 'role' | 'caller' | undefined {
  const isRoot = kind === 'root' || kind === 'otherRoot';
  if (bucket === 'anyone') return 'anyone';
  if (kind === 'anonymous') return undefined;
  if (bucket === 'accounts') return isRoot ? 'caller' : 'account';
  if (bucket === 'callers') return 'caller';
  return bucket === 'roles' && kind === 'session' ? 'role' : undefined;
}

export function isLetIn(asked: Asked, caller: Caller, bucket: BucketSays, around: Surroundings): boolean {
  const { kind, identity = 'allow', session = 'allow' } = caller;
  const says = asked.level === 'service' ? 'nothing' : bucket;
  const isOwn = OF_ACCOUNT.has(kind);
  if (identity === 'deny' || session === 'deny') return false;
  if (says === 'deny' && !(kind === 'root' && asked.isPolicy)) return false;

  const byEverybodysAcl = asked.byAcl === 'all' && around.isPublic && !around.isBlocked;
  const byItself =
    isOwn || byEverybodysAcl || asked.byAcl === 'maker' || (asked.level === 'service' && kind !== 'anonymous');
  const own = identity === 'allow' && session === 'allow';
  if (byItself && own) return true;
  if (isOwn && byEverybodysAcl && session === 'allow') return true;

  const named = through(says, kind);
  if (named === undefined) return false;
  if (!isOwn) return own && !(says === 'anyone' && around.isBlocked);
  if (own || named === 'caller') return true;
  return named !== 'account' && session === 'allow';
}
