import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decide } from '../../src/access/authorize.ts';
import { S3_ACTIONS } from '../../src/access/policy/actions.ts';
import type { PolicyKind } from '../../src/access/policy/document.ts';
import { parsePolicy } from '../../src/access/policy/parse.ts';
import { NO_REQUEST } from '../../src/access/request-keys.ts';
import { BUCKET, type PolicyCase, dice, randomCase } from '../policies/cases.ts';
import { decideCase } from '../policies/simulator.ts';

/** More with `FUZZ_RUNS=100000`. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 3000);
const PATIENCE = { timeout: 20_000 + 10 * RUNS };

type Fields = Readonly<Record<string, unknown>>;
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : [value]);
const statementsOf = (text: string): Fields[] =>
  listOf((JSON.parse(text) as { Statement: unknown }).Statement) as Fields[];

/** Wildcards as regular expressions; a variable may stand for anything, or for nothing that fits. */
function fits(pattern: string, value: string, variables: '.*' | 'never'): boolean {
  if (variables === 'never' && pattern.includes('${')) return false;
  const source = pattern.replaceAll(/\$\{[^}]*\}|[^]/g, (piece) =>
    piece.length > 1 || piece === '*' ? '.*' : piece === '?' ? '.' : piece.replace(/[\\^$.|+()[\]{}]/, '\\$&'),
  );
  return new RegExp(`^${source}$`, 'su').test(value);
}

/** Whether a statement is about this; where that takes more than reading it, as `doubt` has it. */
function speaks(fields: Fields, { action, arn, doubt }: { action: string; arn: string; doubt: boolean }): boolean {
  const variables = doubt ? '.*' : 'never';
  if (
    !doubt &&
    (fields['Condition'] !== undefined || (fields['Principal'] ?? '*') !== '*' || 'NotPrincipal' in fields)
  ) {
    return false;
  }
  return (['Action', 'Resource'] as const).every((name) => {
    const value = name === 'Action' ? action.toLowerCase() : arn;
    const [plain, not] = [fields[name], fields[`Not${name}`]];
    const any = (given: unknown, kind: '.*' | 'never'): boolean =>
      listOf(given).some((one) => fits(name === 'Action' ? String(one).toLowerCase() : String(one), value, kind));
    return plain === undefined ? !any(not, doubt ? 'never' : '.*') : any(plain, variables);
  });
}

/** What no reading of the documents could allow: nothing allows it, or something denies it whoever asks. */
function mustBeRefused({ caller, identity, session, bucket, action, key }: PolicyCase): boolean {
  const arn = `arn:aws:s3:::${BUCKET}${S3_ACTIONS.get(action) === 'object' ? `/${key}` : ''}`;
  const all = [...identity, ...[session, bucket].filter((text) => text !== undefined)].flatMap(statementsOf);
  if (all.some((one) => one['Effect'] === 'Deny' && speaks(one, { action, arn, doubt: false }))) return !isRoot(caller);
  return !isRoot(caller) && !all.some((one) => one['Effect'] === 'Allow' && speaks(one, { action, arn, doubt: true }));
}

/** They are limited by nothing of their own, and cannot be locked out of the bucket's policy. */
const isRoot = (caller: PolicyCase['caller']): boolean => caller === 'root' || caller === 'otherRoot';

it('nothing is allowed that no document allows, or that one denies to everybody', PATIENCE, () => {
  let [refused, allowed] = [0, 0];
  for (let at = 0; at < RUNS; at += 1) {
    const one = randomCase(dice(7_000_003 + at));
    const decided = decideCase(one);
    if (mustBeRefused(one)) {
      refused += 1;
      expect(decided, JSON.stringify({ ...one, asked: undefined })).toBe(false);
    }
    if (decided) allowed += 1;
  }
  // Neither side is empty.
  expect(Math.min(refused, allowed)).toBeGreaterThan(RUNS / 50);
});

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'a:b',
  'constructor/a:b',
  '__proto__/x:y',
  'aws:PrincipalTag/x',
  's3:prefix',
];
const word = fc.oneof(
  fc.constantFrom(
    '*',
    '?',
    's3:*',
    's3:GetObject',
    'arn:aws:s3:::b/*',
    'arn:aws:s3:::b/k',
    '2012-10-17',
    'Allow',
    'Deny',
    ...NAMES,
  ),
  fc.constantFrom(...NAMES).map((name) => `arn:aws:s3:::b/\${${name}}`),
  fc.constantFrom(...NAMES).map((name) => `arn:aws:s3:::b/\${${name}, 'k'}`),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const anything = fc.oneof(
  { arbitrary: word, weight: 4 },
  { arbitrary: fc.array(word, { maxLength: 3 }), weight: 2 },
  { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
);
const OPERATORS = [
  'StringEquals',
  'StringNotLike',
  'ForAllValues:StringLike',
  'Null',
  'ArnLike',
  'IpAddress',
  'DateLessThan',
  'BoolIfExists',
  'x',
];
const condition = fc.dictionary(
  fc.constantFrom(...OPERATORS),
  fc.dictionary(fc.constantFrom(...NAMES), anything, { maxKeys: 2 }),
  { maxKeys: 2 },
);
const resource = word.filter((text) => text.startsWith('arn:'));
const oddStatement = fc.record(
  {
    Effect: fc.oneof({ arbitrary: fc.constantFrom('Allow', 'Deny'), weight: 19 }, anything),
    Action: fc.oneof({ arbitrary: fc.constantFrom('s3:*', 's3:GetObject', ['s3:Get*']), weight: 9 }, anything),
    Resource: fc.oneof({ arbitrary: fc.array(resource, { minLength: 1, maxLength: 3 }), weight: 9 }, anything),
    Condition: fc.oneof(
      { arbitrary: fc.constant({ StringNotLike: { 'constructor/a:b': 'x', '__proto__/x:y': 'y' } }), weight: 3 },
      { arbitrary: condition, weight: 1 },
    ),
    Sid: word,
  },
  { requiredKeys: ['Effect', 'Action', 'Resource'] },
);
const odd = fc.record({
  Version: fc.constantFrom('2012-10-17', '2008-10-17'),
  Statement: fc.oneof(fc.array(oddStatement, { maxLength: 3 }), oddStatement),
});

it('documents of any shape are read or refused, and asked without a fault of the program', PATIENCE, () => {
  let read = 0;
  fc.assert(
    fc.property(odd, fc.constantFrom<PolicyKind>('identity', 'resource', 'session', 'trust'), (shape, kind) => {
      const named = listOf(shape.Statement).map((one) => ({
        ...(one as object),
        ...(kind === 'resource' && { Principal: '*' }),
      }));
      const text = JSON.stringify({ ...shape, Statement: named });
      const { document, faults } = parsePolicy(text, kind);
      expect(faults === undefined || faults.every(({ sentence }) => sentence !== '')).toBe(true);
      if (document === undefined || kind === 'trust') return;
      read += 1;
      const bucket = { name: 'b', ownerId: 'o', settings: kind === 'resource' ? { policy: text } : {} };
      const account = {
        name: 'o',
        canonicalId: 'o',
        accountNumber: '111122223333',
        displayName: 'o',
        email: 'o@example.com',
      };
      const user = {
        name: 'u',
        arn: 'arn:aws:iam::111122223333:user/u',
        id: 'AIDA',
        permissions: [{ name: 'odd', document }],
      };
      const accessKeyId = 'K';
      const principal = { kind: 'account', account, accessKeyId, ...(kind !== 'resource' && { user }) } as const;
      const { reasons } = decide(principal, 's3:GetObject', { bucket, key: 'k' }, NO_REQUEST);
      expect(reasons?.().looked.length).toBeGreaterThan(0);
    }),
    { numRuns: RUNS },
  );
  expect(read).toBeGreaterThan(RUNS / 50);
});
