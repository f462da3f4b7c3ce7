import { shownJson } from '../../errors/shown-json.ts';
import { compileArnPattern, arnParts } from './arn-pattern.ts';
import { checkBucketStatement } from './check-bucket-statement.ts';
import { compileCondition, isConditionFault } from './condition.ts';
import type {
  PolicyCondition,
  Effect,
  Pattern,
  PatternSet,
  PolicyKind,
  PrincipalEntry,
  PrincipalSet,
  Statement,
} from './document.ts';
import type { FaultMaker } from './faults.ts';
import { compilePattern } from './pattern.ts';
import { ANYONE, PRINCIPAL_READERS } from './principal.ts';

interface StatementPlace {
  readonly index: number;
  /** Of the version of the document. */
  readonly variables: boolean;
  readonly kind: PolicyKind;
  readonly fault: FaultMaker;
}

type Fields = Readonly<Record<string, unknown>>;
type Presence = 'required' | 'prohibited';

/** Which of Principal and Resource each kind has. */
const HAS: Readonly<Record<PolicyKind, { readonly Principal: Presence; readonly Resource: Presence }>> = {
  identity: { Principal: 'prohibited', Resource: 'required' },
  session: { Principal: 'prohibited', Resource: 'required' },
  resource: { Principal: 'required', Resource: 'required' },
  trust: { Principal: 'required', Resource: 'prohibited' },
};

const FIELDS: ReadonlySet<string> = new Set([
  'Sid',
  'Effect',
  'Principal',
  'NotPrincipal',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
]);
const SID: Readonly<Record<'any' | 'plain', RegExp>> = { any: /^[\x20-\x7e]*$/, plain: /^[A-Za-z0-9]*$/ };

/** @throws FaultFound: the first thing that is wrong with it */
export function parseStatement(value: unknown, place: StatementPlace): Statement {
  const { fault, index, kind } = place;
  const path = `Statement[${String(index)}]`;
  if (!isObject(value)) throw fault('syntax', path);
  const unknown = Object.keys(value).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) throw fault('unknownField', `${path}.${unknown}`, unknown);
  const sid = readSid(value['Sid'], path, place);
  const effect = readEffect(value['Effect'], path, place);
  const principals = readPrincipals(value, path, place);
  const actions = readPatterns(value, { field: 'Action', path, read: actionPattern }, place);
  const resources = readPatterns(value, { field: 'Resource', path, read: resourcePattern }, place);
  if (actions === undefined) throw fault('noAction', path, 'Action');
  const conditions = readConditions(value['Condition'], path, place);
  const statement: Statement = {
    index,
    effect,
    actions,
    conditions,
    ...(sid !== undefined && { sid }),
    ...(principals !== undefined && { principals }),
    ...(resources !== undefined && { resources }),
  };
  if (kind === 'resource') checkBucketStatement(statement, path, fault);
  return statement;
}

function readSid(value: unknown, path: string, { kind, fault }: StatementPlace): string | undefined {
  if (value === undefined) return undefined;
  const form = kind === 'resource' ? SID.any : SID.plain;
  if (typeof value === 'string' && form.test(value)) return value;
  throw fault('sid', `${path}.Sid`, shownJson(value));
}

function readEffect(value: unknown, path: string, { fault }: StatementPlace): Effect {
  if (value === undefined) throw fault('missing', `${path}.Effect`, 'Effect');
  if (value === 'Allow' || value === 'Deny') return value;
  throw fault('effect', `${path}.Effect`, shownJson(value));
}

interface Element {
  /** Path of `X` or `NotX`. */
  readonly path: string;
  readonly not: boolean;
  readonly value: unknown;
}

const MISSING = { Principal: 'missing', Action: 'noAction', Resource: 'noResource' } as const;

/** `X` or `NotX`; undefined where it need not be. @throws FaultFound */
function elementOf(
  fields: Fields,
  field: 'Principal' | 'Action' | 'Resource',
  where: StatementPlace & { readonly path: string },
): Element | undefined {
  const { path, fault, kind } = where;
  const [plain, not] = [fields[field], fields[`Not${field}`]];
  const presence = field === 'Action' ? 'required' : HAS[kind][field];
  if (plain === undefined && not === undefined) {
    if (presence === 'required') throw fault(MISSING[field], path, field);
    return undefined;
  }
  const name = plain === undefined ? `Not${field}` : field;
  if (presence === 'prohibited') throw fault('prohibited', `${path}.${name}`, name);
  if (plain !== undefined && not !== undefined) throw fault('both', path, field);
  return { path: `${path}.${name}`, not: plain === undefined, value: plain ?? not };
}

interface PatternField {
  readonly field: 'Action' | 'Resource';
  readonly path: string;
  readonly read: (text: string, place: StatementPlace) => Pattern | undefined;
}

function readPatterns(
  fields: Fields,
  { field, path, read }: PatternField,
  place: StatementPlace,
): PatternSet | undefined {
  const { fault } = place;
  const element = elementOf(fields, field, { ...place, path });
  if (element === undefined) return undefined;
  const texts = textsOf(element.value);
  if (texts === undefined) throw fault('syntax', element.path);
  if (texts.length === 0) throw fault(MISSING[field], element.path, field);
  const patterns = texts.map((text) => {
    const pattern = read(text, place);
    if (pattern === undefined) throw fault(field === 'Action' ? 'action' : 'resource', element.path, text);
    return pattern;
  });
  return { not: element.not, patterns };
}

/** Names of actions have 128 characters at most. */
const ACTION = /^(?:\*|[a-z0-9-]{1,64}:[a-z0-9*?]{1,128})$/i;

function actionPattern(text: string): Pattern | undefined {
  return ACTION.test(text) ? { ...compilePattern(text.toLowerCase(), { variables: false }), text } : undefined;
}

/** An ARN whose first part and service are plain; for identities also `*`. */
function resourcePattern(text: string, { variables, kind }: StatementPlace): Pattern | undefined {
  if (text === '*') return kind === 'resource' ? undefined : compileArnPattern(text, { variables });
  const [arn, partition, service, , , resource] = arnParts(text) ?? [];
  if (arn !== 'arn' || partition === '' || service === undefined || !/^[a-z0-9-]+$/.test(service) || resource === '') {
    return undefined;
  }
  return compileArnPattern(text, { variables });
}

function readPrincipals(fields: Fields, path: string, place: StatementPlace): PrincipalSet | undefined {
  const { fault } = place;
  const element = elementOf(fields, 'Principal', { ...place, path });
  if (element === undefined) return undefined;
  const { not, value } = element;
  if (value === '*') return { not, entries: [ANYONE] };
  if (!isObject(value)) throw fault('principal', element.path, shownJson(value));
  const entries = Object.entries(value).flatMap(([name, given]) => {
    const read = PRINCIPAL_READERS.get(name);
    const texts = textsOf(given) ?? [];
    if (read === undefined || texts.length === 0) throw fault('principal', element.path, name);
    return texts.map((text): PrincipalEntry => {
      const entry = read(text);
      if (entry === undefined) throw fault('principal', element.path, text);
      return entry;
    });
  });
  if (entries.length === 0) throw fault('principal', element.path, '{}');
  return { not, entries };
}

/** Vendor and name, and behind a slash the key of a tag; keys of identity providers begin with their host. */
const KEY = /^[A-Za-z0-9.-]+(?:\/[A-Za-z0-9._/-]+)?:[^\s:][^:]*(?::[^:]*)*$/;

function readConditions(value: unknown, path: string, place: StatementPlace): readonly PolicyCondition[] {
  const { fault } = place;
  const where = `${path}.Condition`;
  if (value === undefined) return [];
  if (!isObject(value)) throw fault('syntax', where);
  return Object.entries(value).flatMap(([operator, keys]) => {
    if (!isObject(keys)) throw fault('syntax', `${where}.${operator}`);
    return Object.entries(keys).map(([key, given]) =>
      readCondition({ operator, key, given }, `${where}.${operator}`, place),
    );
  });
}

interface GivenCondition {
  readonly operator: string;
  readonly key: string;
  readonly given: unknown;
}

function readCondition(
  { operator, key, given }: GivenCondition,
  path: string,
  { fault, variables }: StatementPlace,
): PolicyCondition {
  if (!KEY.test(key)) throw fault('conditionKey', path, key);
  const values = textsOf(given, scalarText);
  if (values === undefined || values.length === 0) throw fault('syntax', `${path}.${key}`);
  const compiled = compileCondition({ operator, key, values }, { variables });
  if (!isConditionFault(compiled)) return compiled;
  throw compiled.kind === 'operator'
    ? fault('conditionType', path, operator)
    : fault('conditionValue', `${path}.${key}`, compiled.value);
}

/** One text or a list of them; undefined: something else. */
function textsOf(value: unknown, read: (one: unknown) => string | undefined = plainText): string[] | undefined {
  const texts = (Array.isArray(value) ? value : [value]).map((one: unknown) => read(one));
  const known = texts.filter((text) => text !== undefined);
  return known.length === texts.length ? known : undefined;
}

function plainText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Values of conditions may be written as numbers and booleans, too. */
function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
