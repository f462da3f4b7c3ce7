import { expect, test } from 'vitest';
import { expandTrust } from '../../../../src/access/identities/trust.ts';
import { assumptionKeys } from '../../../../src/access/sessions/assume.ts';
import { evaluate } from '../../../../src/access/policy/evaluate.ts';
import { OPERATORS } from '../../../../src/access/policy/operators.ts';
import { parsePolicy } from '../../../../src/access/policy/parse.ts';

/* A claim that is there, and that no condition can judge, opens nothing, whatever the operator. */

const PROVIDER = 'arn:aws:iam::123456789012:oidc-provider/idp';
const ACTION = 'sts:AssumeRoleWithWebIdentity';
const VALUES: Readonly<Record<string, string>> = { numeric: '1', date: '2020-01-01', bool: 'true', null: 'true' };

function effectOf(text: string, said: Readonly<Record<string, string>>, unusable: readonly string[]): string {
  const { document } = parsePolicy(text, 'trust');
  if (document === undefined) throw new Error('the policy has faults');
  return evaluate([{ name: 'trust', document }], {
    caller: { arns: [], isRoot: false, provider: PROVIDER },
    action: ACTION,
    resource: 'arn:aws:iam::123456789012:role/r',
    keys: assumptionKeys(said, { asked: {}, unusable: new Set(unusable) }),
  }).effect;
}

function trusting(effect: string, operator: string, key = 'idp:groups', value?: string): string {
  const [, kind = ''] = /(numeric|date|bool|null|ip|binary)/i.exec(operator) ?? [];
  const wanted =
    value ??
    (/ipaddress/i.test(operator)
      ? '10.0.0.0/8'
      : /binary/i.test(operator)
        ? 'YQ=='
        : (VALUES[kind.toLowerCase()] ?? 'a'));
  const statement = { Principal: { Federated: PROVIDER }, Action: ACTION };
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { ...statement, Effect: effect, Condition: { [operator]: { [key]: wanted } } },
      ...(effect === 'Deny' ? [{ ...statement, Effect: 'Allow' }] : []),
    ],
  });
}

const NAMES = [...OPERATORS.keys()].flatMap((name) =>
  ['', 'ForAnyValue:', 'ForAllValues:'].flatMap((quantifier) => [
    `${quantifier}${name}`,
    `${quantifier}${name}IfExists`,
  ]),
);

test.each([...NAMES, 'Null'])('%s', (operator) => {
  expect(effectOf(trusting('Allow', operator), {}, ['idp:groups'])).toBe('none');
  expect(effectOf(trusting('Deny', operator), {}, ['idp:groups'])).toBe('deny');
});

test('a variable names its key, too', () => {
  const text = trusting('Allow', 'StringNotEquals', 'idp:sub', '${idp:groups}');
  expect(effectOf(text, { 'idp:sub': 'a' }, [])).toBe('allow');
  expect(effectOf(text, { 'idp:sub': 'a' }, ['idp:groups'])).toBe('none');
});

test('other statements decide as they did', () => {
  expect(effectOf(trusting('Allow', 'StringEquals', 'idp:sub', 'a'), { 'idp:sub': 'a' }, ['idp:groups'])).toBe('allow');
});

test('of what stands for subjects, only * stands for other characters', () => {
  const trust = expandTrust({
    principals: [],
    webIdentity: [{ issuer: 'https://idp', provider: PROVIDER, subjects: ['a?c*'] }],
  });
  expect(effectOf(trust, { 'idp:sub': 'a?c-d' }, [])).toBe('allow');
  expect(effectOf(trust, { 'idp:sub': 'abc-d' }, [])).toBe('none');
});
