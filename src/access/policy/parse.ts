import type { PolicyDocument, PolicyKind, Statement } from './document.ts';
import { lookupName } from './context.ts';
import { type PolicyFault, FaultFound, faultMaker, type FaultMaker } from './faults.ts';
import { parseJson } from './json-text.ts';
import { parseStatement } from './parse-statement.ts';
import { variablesOf } from './pattern.ts';

export type { PolicyFault } from './faults.ts';

/**
 * A document, or the faults of its text: the first one, which is the one that AWS names, and the first of each further
 * statement.
 */
type ParsedPolicy =
  | { readonly document: PolicyDocument; readonly faults?: undefined }
  | { readonly document?: undefined; readonly faults: readonly [PolicyFault, ...PolicyFault[]] };

const VERSIONS = ['2012-10-17', '2008-10-17'] as const;
const FIELDS: ReadonlySet<string> = new Set(['Version', 'Id', 'Statement']);

/**
 * Reads a policy.
 * @param kind of what it is the policy: an identity's and a session's must have no Principal, a bucket's and a role's
 *   trust policy must have one, and only buckets' policies are held to actions, resources and keys of S3, as
 *   PutBucketPolicy does
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_grammar.html
 */
export function parsePolicy(text: string, kind: PolicyKind): ParsedPolicy {
  const found: PolicyFault[] = [];
  const document = noting(found, () => readText(text, kind, found));
  const [first, ...others] = found;
  if (first !== undefined) return { faults: [first, ...others] };
  if (document === undefined) throw new Error('a policy without faults is a document');
  return { document };
}

/** Runs `read` and notes the fault that it throws; then the answer is undefined. */
function noting<T>(found: PolicyFault[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FaultFound)) throw error;
    found.push(error.fault);
    return undefined;
  }
}

function readText(text: string, kind: PolicyKind, found: PolicyFault[]): PolicyDocument {
  const fault = faultMaker(kind);
  if (!text.trimStart().startsWith('{')) throw fault('notAnObject', '');
  const parsed = parseJson(text);
  if ('broken' in parsed) throw fault('notJson', '');
  if ('duplicate' in parsed) throw fault('syntax', '', parsed.duplicate);
  const fields = parsed.value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(fields).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) throw fault('unknownField', unknown, unknown);
  const { Version = '2008-10-17', Id: id, Statement } = fields;
  const version = VERSIONS.find((known) => known === Version);
  if (version === undefined) throw fault('version', 'Version');
  if (id !== undefined && typeof id !== 'string') throw fault('syntax', 'Id');
  const statements: Statement[] = [];
  for (const [index, one] of statementList(Statement, fault).entries()) {
    const statement = noting(found, () =>
      parseStatement(one, { index, variables: version === '2012-10-17', kind, fault }),
    );
    if (statement !== undefined) statements.push(statement);
  }
  checkSids(statements, fault);
  return { version, ...(typeof id === 'string' && { id }), statements, keys: [...new Set(statements.flatMap(keysOf))] };
}

function keysOf({ conditions, resources }: Statement): string[] {
  const texts = [...(resources?.patterns.map(({ text }) => text) ?? []), ...conditions.flatMap(({ values }) => values)];
  return [...conditions.map(({ lookup }) => lookup), ...texts.flatMap(variablesOf).map(lookupName)];
}

function statementList(value: unknown, fault: FaultMaker): readonly unknown[] {
  if (value === undefined || value === null) throw fault('noStatement', 'Statement');
  if (typeof value !== 'object') throw fault('syntax', 'Statement');
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw fault('emptyStatement', 'Statement');
  return list;
}

function checkSids(statements: readonly Statement[], fault: FaultMaker): void {
  const seen = new Set<string>();
  for (const { index, sid } of statements) {
    if (sid === undefined || sid === '') continue;
    if (seen.has(sid)) throw fault('duplicateSid', `Statement[${String(index)}].Sid`, sid);
    seen.add(sid);
  }
}
