import { S3Error } from '../../errors/s3-error.ts';
import { checkTransitions } from './check-transitions.ts';
import { type Lifecycle, type S3LifecycleRule, type Scope, ruleScope } from './lifecycle.ts';

const MAX_RULES = 1000;
/** Characters. */
const MAX_ID = 255;
/** Bytes. */
const MAX_PREFIX = 1024;
/** Bytes: 1 PB, in units of 1,000. */
const MAX_SIZE = 1_099_511_627_776_000;

/**
 * Refuses what S3 refuses, in S3's words. S3 tells one fault at a time; which it looks for first is not documented.
 * Sources of code and message: docs/lifecycle.md. @throws S3Error MalformedXML, InvalidRequest, InvalidArgument
 */
export function checkLifecycle({ rules }: Lifecycle): void {
  if (rules.length > MAX_RULES) throw new S3Error('MalformedXML');
  const isNew = rules[0]?.filter !== undefined;
  for (const rule of rules) checkRule(rule, isNew);
  checkIds(rules);
  if (!isNew) checkOverlaps(rules);
}

function checkIds(rules: readonly S3LifecycleRule[]): void {
  const ids = new Set<string>();
  for (const { id } of rules) {
    if (Array.from(id).length > MAX_ID) {
      throw invalid('InvalidArgument', `ID length should not exceed allowed limit of ${String(MAX_ID)}`);
    }
    if (ids.size === ids.add(id).size) {
      throw invalid('InvalidArgument', 'Rule ID must be unique. Found same ID for more than one rule');
    }
  }
}

function checkRule(rule: S3LifecycleRule, isNew: boolean): void {
  checkForm(rule, isNew);
  checkFilter(rule);
  if (ACTIONS.every(([, has]) => !has(rule))) {
    throw invalid('InvalidRequest', 'At least one action needs to be specified in a rule');
  }
  const scope = ruleScope(rule);
  checkExpiration(rule, scope);
  checkNoncurrent(rule, isNew);
  checkAbort(rule, scope);
  checkTransitions(rule);
}

/** A document is in the old form (`Prefix`) or the new one (`Filter`), as its first rule is. */
function checkForm({ prefix, filter }: S3LifecycleRule, isNew: boolean): void {
  if (prefix === undefined && filter === undefined) throw new S3Error('MalformedXML');
  if (!isNew && filter !== undefined) {
    throw invalid('InvalidRequest', 'Filter element can only be used in Lifecycle V2.');
  }
  if (isNew && prefix !== undefined) {
    throw invalid(
      'InvalidRequest',
      'Base level prefix cannot be used in Lifecycle V2, prefixes are only supported in the Filter.',
    );
  }
}

function checkFilter({ prefix, filter = {} }: S3LifecycleRule): void {
  const { and, ...direct } = filter;
  if (Object.keys(filter).length > 1) throw new S3Error('MalformedXML');
  if (and !== undefined) {
    const { tags, ...others } = and;
    if (tags.length + Object.keys(others).length < 2) throw new S3Error('MalformedXML');
    if (new Set(tags.map(({ key }) => key)).size < tags.length) {
      throw invalid('InvalidRequest', 'Duplicate Tag Keys are not allowed.');
    }
  }
  const { sizeAbove, sizeBelow, prefix: filtered = prefix } = and ?? direct;
  if (Buffer.byteLength(filtered ?? '') > MAX_PREFIX) {
    throw invalid('InvalidRequest', `The maximum size of a prefix is ${String(MAX_PREFIX)}`);
  }
  checkSize('ObjectSizeGreaterThan', sizeAbove, 0);
  checkSize('ObjectSizeLessThan', sizeBelow, 1);
  if (sizeAbove !== undefined && sizeBelow !== undefined && sizeBelow <= sizeAbove) {
    throw invalid('InvalidRequest', "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.");
  }
}

function checkSize(element: string, value: number | undefined, least: number): void {
  if (value === undefined || (value >= least && value <= MAX_SIZE)) return;
  throw invalid('InvalidRequest', `'${element}' should be between ${String(least)} and ${String(MAX_SIZE)}.`);
}

function checkExpiration({ expiration }: S3LifecycleRule, scope: Scope): void {
  if (expiration === undefined) return;
  const { days, loneMarkers } = expiration;
  if (Object.keys(expiration).length !== 1) throw new S3Error('MalformedXML');
  if (days !== undefined) requirePositive('Days', 'Expiration', days);
  if (loneMarkers !== undefined) requirePlainScope('ExpiredObjectDeleteMarker', scope);
}

function checkNoncurrent({ noncurrentExpiration, noncurrentTransitions = [] }: S3LifecycleRule, isNew: boolean): void {
  const action = 'NoncurrentVersionExpiration';
  if (noncurrentExpiration !== undefined) requirePositive('NoncurrentDays', action, noncurrentExpiration.days);
  const all = [
    { action, newer: noncurrentExpiration?.newer },
    ...noncurrentTransitions.map(({ newer }) => ({ action: 'NoncurrentVersionTransition', newer })),
  ];
  for (const { action: of, newer } of all) {
    if (newer === undefined) continue;
    if (!isNew) {
      throw invalid('InvalidRequest', 'NewerNoncurrentVersions element can only be used in Lifecycle V2.');
    }
    requirePositive('NewerNoncurrentVersions', of, newer);
  }
}

function checkAbort({ abortDays }: S3LifecycleRule, scope: Scope): void {
  if (abortDays === undefined) return;
  requirePlainScope('AbortIncompleteMultipartUpload', scope);
  requirePositive('DaysAfterInitiation', 'AbortIncompleteMultipartUpload', abortDays);
}

function requirePlainScope(action: string, { tags, sizeAbove, sizeBelow }: Scope): void {
  if (tags.length > 0) throw invalid('InvalidRequest', `${action} cannot be specified with Tags.`);
  if (sizeAbove !== undefined || sizeBelow !== undefined) {
    throw invalid('InvalidRequest', `${action} cannot be specified with Object Size.`);
  }
}

/** Most days that a rule can say: what S3's number can hold. */
const MAX_DAYS = 2_147_483_647;

function requirePositive(element: string, action: string, value: number): void {
  if (value > MAX_DAYS) throw new S3Error('MalformedXML');
  if (value > 0) return;
  throw invalid('InvalidArgument', `'${element}' for ${action} action must be a positive integer`);
}

/** The kinds of actions, by their elements. */
const ACTIONS: readonly (readonly [element: string, has: (rule: S3LifecycleRule) => boolean])[] = [
  ['Expiration', (rule) => rule.expiration !== undefined],
  ['Transition', (rule) => rule.transitions !== undefined],
  ['NoncurrentVersionExpiration', (rule) => rule.noncurrentExpiration !== undefined],
  ['NoncurrentVersionTransition', (rule) => rule.noncurrentTransitions !== undefined],
  ['AbortIncompleteMultipartUpload', (rule) => rule.abortDays !== undefined],
];

/**
 * In the old form no prefix with an action may begin with another that has the same. By their order the first that
 * begins with a prefix stands right behind it.
 */
function checkOverlaps(rules: readonly S3LifecycleRule[]): void {
  for (const [action, has] of ACTIONS) {
    const prefixes = rules
      .filter(has)
      .map(({ prefix = '' }) => prefix)
      .sort();
    for (const [index, prefix] of prefixes.entries()) {
      const next = prefixes[index + 1];
      if (next?.startsWith(prefix) !== true) continue;
      const found =
        next === prefix
          ? `Found two rules with same prefix '${prefix}'`
          : `Found overlapping prefixes '${prefix}' and '${next}'`;
      throw invalid('InvalidRequest', `${found} for same action type '${action}'`);
    }
  }
}

function invalid(code: 'InvalidRequest' | 'InvalidArgument', message: string): S3Error {
  return new S3Error(code, { message });
}
