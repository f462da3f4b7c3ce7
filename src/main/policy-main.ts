import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { ConfigError, type Environment, loadConfig } from '../../config/load.ts';
import type { AccountDirectory, Principal } from '../access/accounts.ts';
import { decide } from '../access/authorize.ts';
import { S3_ACTIONS } from '../access/policy/actions.ts';
import { lookupName } from '../access/policy/context.ts';
import type { PolicyKind } from '../access/policy/document.ts';
import { parsePolicy } from '../access/policy/parse.ts';
import { NO_REQUEST } from '../access/request-keys.ts';
import { sessionUser } from '../access/sessions/sessions.ts';
import type { AccessDecision, StatementFacts } from '../observe/access-facts.ts';
import { accountDirectory } from './accounts/account-settings.ts';
import { printLines } from './command-line.ts';
import { StartError } from './start-error.ts';

const USAGE = [
  'usage: npm run policy -- explain [--config FILE] --as WHO --action s3:ACTION --bucket NAME [--key KEY] [--owner ACCOUNT] [--bucket-policy FILE] [--condition KEY=VALUE]...',
  '       npm run policy -- check [--kind identity|resource|session|trust] FILE...',
  '',
  'Without --config, S3GW_CONFIG names the file.',
  "WHO: an account, a user, account/user, anonymous, or the ARN of a user or role. The bucket is the caller's account's unless --owner says otherwise.",
];

const EXIT = { fine: 0, refused: 1, usage: 2 } as const;

/**
 * `npm run policy`: says without a gateway who may do what and why, and what is wrong with documents.
 * @returns exit code
 */
export function policyMain(argv: readonly string[], environment: Environment): number {
  const [command, ...rest] = argv;
  try {
    if (command === 'explain') return explain(rest, environment);
    if (command === 'check') return check(rest);
    if (command === '--help' || command === '-h') {
      printLines(process.stdout, USAGE);
      return EXIT.fine;
    }
    throw new StartError(USAGE);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const known = error instanceof StartError || error instanceof ConfigError;
    printLines(process.stderr, known ? error.lines : [error.message]);
    return EXIT.usage;
  }
}

const CHECK = { kind: { type: 'string', default: 'identity' } } as const;
const KINDS: readonly PolicyKind[] = ['identity', 'resource', 'session', 'trust'];

function check(argv: readonly string[]): number {
  const { values, positionals } = parseArgs({ args: [...argv], options: CHECK, allowPositionals: true });
  const kind = KINDS.find((known) => known === values.kind);
  if (kind === undefined || positionals.length === 0) throw new StartError(USAGE);
  const lines = positionals.flatMap((file) => {
    const { faults = [] } = parsePolicy(readFileSync(file, 'utf8'), kind);
    return faults.map(
      ({ path: where, sentence, subject }) =>
        `${file}: ${where === '' ? '' : `${where}: `}${sentence}${subject === '' ? '' : ` (${subject})`}`,
    );
  });
  printLines(process.stdout, lines.length === 0 ? [`${positionals.join(', ')}: nothing is wrong`] : lines);
  return lines.length === 0 ? EXIT.fine : EXIT.refused;
}

const MANAGED_UNSEEN =
  'Users that the admin API has made are not seen: this command reads the configuration only. "npm run admin -- user show" shows what such a user has.';

const EXPLAIN = {
  config: { type: 'string' },
  as: { type: 'string' },
  action: { type: 'string' },
  bucket: { type: 'string' },
  key: { type: 'string' },
  owner: { type: 'string' },
  'bucket-policy': { type: 'string' },
  condition: { type: 'string', multiple: true, default: [] as string[] },
} as const;

function explain(argv: readonly string[], environment: Environment): number {
  const { values } = parseArgs({ args: [...argv], options: EXPLAIN });
  const { as, action, bucket: name, key } = values;
  const file = values.config ?? environment['S3GW_CONFIG'];
  if (file === undefined || as === undefined || action === undefined || name === undefined) throw new StartError(USAGE);
  const level = S3_ACTIONS.get(action);
  if (level === undefined) throw new StartError([`--action: ${action} is no action of S3`]);
  if (level === 'object' && key === undefined) throw new StartError([`--key: ${action} is done to an object`]);
  const { config } = loadConfig(file, environment);
  const directory = accountDirectory(config.accounts, { folder: path.dirname(file), environment });
  const principal = principalOf(withAccount(as, config.accounts), directory);
  if (principal === undefined) {
    const unknown = `--as: there is no account, user or role ${as}`;
    throw new StartError(config.managedAccounts === undefined ? [unknown] : [unknown, MANAGED_UNSEEN]);
  }
  const owner = values.owner === undefined ? ownAccount(principal) : directory.byName(values.owner)?.canonicalId;
  if (owner === undefined) throw new StartError(['--owner: expected the name of an account']);
  const policy = values['bucket-policy'] === undefined ? {} : { policy: bucketPolicy(values['bucket-policy']) };
  const bucket = { name, ownerId: owner, settings: policy };
  const resource = {
    bucket,
    ...(key !== undefined && { key }),
    object: { ownerId: owner },
    says: conditions(values.condition),
  };
  const accountNumberOf = (id: string): string | undefined => directory.byCanonicalId(id)?.accountNumber;
  const asked = { ...NO_REQUEST, bucket: name, key, region: config.region, now: Date.now(), accountNumberOf };
  const decision = decide(principal, action, resource, asked);
  printLines(process.stdout, explanation(decision));
  return decision.allowed ? EXIT.fine : EXIT.refused;
}

function bucketPolicy(file: string): string {
  const text = readFileSync(file, 'utf8');
  const { faults } = parsePolicy(text, 'resource');
  if (faults !== undefined) throw new StartError([`--bucket-policy: ${faults[0].path}: ${faults[0].sentence}`]);
  return text;
}

function conditions(given: readonly string[]): { get(key: string): string | undefined } {
  return new Map(
    given.map((pair): [string, string] => {
      const equals = pair.indexOf('=');
      if (equals < 1) throw new StartError([`--condition: expected KEY=VALUE, got ${pair}`]);
      return [lookupName(pair.slice(0, equals)), pair.slice(equals + 1)];
    }),
  );
}

function ownAccount(principal: Principal): string | undefined {
  return principal.kind === 'account' ? principal.account.canonicalId : undefined;
}

interface NamedAccount {
  readonly name: string;
  readonly users: readonly { readonly name: string }[];
}

/**
 * `account/user` of the name of a user alone, where no account has it.
 * @throws StartError several accounts have such a user
 */
function withAccount(who: string, accounts: readonly NamedAccount[]): string {
  if (who === 'anonymous' || accounts.some(({ name }) => name === who)) return who;
  const [only, ...others] = accounts.filter(({ users }) => users.some(({ name }) => name === who));
  if (others.length > 0) throw new StartError([`--as: several accounts have a user ${who}: write account/${who}`]);
  return only === undefined ? who : `${only.name}/${who}`;
}

/** @returns undefined: there is no such identity */
function principalOf(who: string, directory: AccountDirectory): Principal | undefined {
  if (who === 'anonymous') return { kind: 'anonymous' };
  const account = directory.byName(who);
  if (account !== undefined) return { kind: 'account', account, accessKeyId: '' };
  const [accountName = '', userName] = who.split('/');
  const number = directory.byName(accountName)?.accountNumber ?? '';
  const user = directory.user(who) ?? directory.user(`arn:aws:iam::${number}:user/${userName ?? ''}`);
  if (user !== undefined) return { kind: 'account', account: user.account, user: user.user, accessKeyId: '' };
  const role = directory.role(who);
  if (role === undefined) return undefined;
  const session = { role: { name: role.name, arn: role.arn }, issuedAt: 0, expiresAt: 0 };
  return { kind: 'account', account: role.account, user: sessionUser(role, 'explain'), accessKeyId: '', session };
}

function explanation({ allowed, rule, reasons }: AccessDecision): string[] {
  const lines = [`${allowed ? 'allowed' : 'denied'} by ${rule}`];
  if (reasons === undefined) return lines;
  const { resource, by, looked, omitted = 0, remedies = [] } = reasons();
  lines.push(`resource ${resource}`);
  if (by !== undefined) lines.push(`decided by ${statementText(by)}`);
  lines.push(...looked.map((one) => `looked at ${statementText(one)}`));
  if (omitted > 0) lines.push(`and at ${String(omitted)} more`);
  return [...lines, ...remedies.map(({ document, statement }) => `it would take, in ${document}: ${statement}`)];
}

function statementText({ policy, statement, effect, mismatch, condition }: StatementFacts): string {
  const why =
    mismatch === undefined
      ? 'speaks about the request'
      : condition === undefined
        ? `another ${mismatch}`
        : `condition does not hold: ${condition}`;
  return `${policy}/${statement} (${effect}): ${why}`;
}
