import { S3_ACTIONS, actionsOf, type ActionLevel } from './actions.ts';
import { arnParts } from './arn-pattern.ts';
import { actionsWith, isBucketKey } from './condition-keys.ts';
import { NO_KEYS } from './context.ts';
import type { Pattern, PolicyDocument, Statement } from './document.ts';
import type { FaultMaker } from './faults.ts';
import { compilePattern } from './pattern.ts';

/** What PutBucketPolicy asks of a statement beyond its form. @throws FaultFound */
export function checkBucketStatement(statement: Statement, path: string, fault: FaultMaker): void {
  const { actions, resources, conditions } = statement;
  const named = namedActions(actions);
  const unknown = actions.patterns.find(({ text }) => named.get(text)?.length === 0);
  if (unknown !== undefined) throw fault('action', `${path}.${actions.not ? 'NotAction' : 'Action'}`, unknown.text);
  const stray = resources?.patterns.find(({ text }) => resourceParts(text) === undefined);
  if (stray !== undefined) {
    throw fault('resource', `${path}.${resources?.not === true ? 'NotResource' : 'Resource'}`, stray.text);
  }
  const foreign = conditions.find(({ key }) => !isBucketKey(key));
  if (foreign !== undefined) throw fault('conditionKey', `${path}.Condition.${foreign.operator}`, foreign.key);
  const misplaced = misplacedAction(statement, named);
  if (misplaced !== undefined) throw fault('mismatch', `${path}.Action`, misplaced.text);
  const listed = new Set([...named.values()].flat());
  const meant = actions.not ? [...S3_ACTIONS.keys()].filter((action) => !listed.has(action)) : [...listed];
  const idle = conditions.find(({ key }) => {
    const actions = actionsWith(key);
    return actions === undefined ? meant.length === 0 : !meant.some((action) => actions.has(action));
  });
  if (idle !== undefined) throw fault('conditionMismatch', `${path}.Condition.${idle.operator}`, idle.key);
}

/** What each text stands for, found out once: some policies say one thing thousands of times. */
function namedActions({ patterns }: Statement['actions']): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, readonly string[]>();
  for (const pattern of patterns) if (!named.has(pattern.text)) named.set(pattern.text, actionsOf(pattern));
  return named;
}

/** Bucket and key of a resource of S3; undefined: it is none. */
function resourceParts(text: string): { readonly bucket: string; readonly key: string | undefined } | undefined {
  const [, partition, service, region, account, resource = ''] = arnParts(text) ?? [];
  if (partition !== 'aws' || service !== 's3' || !/^\*?$/.test(region ?? '') || !/^\*?$/.test(account ?? '')) {
    return undefined;
  }
  const slash = resource.indexOf('/');
  const bucket = slash < 0 ? resource : resource.slice(0, slash);
  if (bucket === '' || bucket.includes('${')) return undefined;
  return { bucket, key: slash < 0 ? undefined : resource.slice(slash + 1) };
}

/** What a resource can be: a `*` in place of a bucket's name reaches into buckets. */
function levelsOf(text: string): readonly ActionLevel[] {
  const { bucket = '', key } = resourceParts(text) ?? {};
  if (key !== undefined) return ['object'];
  return bucket.endsWith('*') ? ['bucket', 'object'] : ['bucket'];
}

/** Each action has to have a resource that it can be done to: the first that has none. */
function misplacedAction(
  { actions, resources }: Statement,
  named: ReadonlyMap<string, readonly string[]>,
): Pattern | undefined {
  if (actions.not || resources === undefined || resources.not) return undefined;
  const levels = new Set(resources.patterns.flatMap(({ text }) => levelsOf(text)));
  return actions.patterns.find(
    ({ text }) => !named.get(text)?.some((action) => levels.has(S3_ACTIONS.get(action) ?? 'other')),
  );
}

/** The first resource of a bucket's policy that is in another bucket. */
export function foreignResource({ statements }: PolicyDocument, bucket: string): Pattern | undefined {
  return statements
    .flatMap(({ resources }) => resources?.patterns ?? [])
    .find(({ text }) => {
      const pattern = resourceParts(text)?.bucket;
      return pattern === undefined || !compilePattern(pattern, { variables: false }).matches(bucket, NO_KEYS);
    });
}
