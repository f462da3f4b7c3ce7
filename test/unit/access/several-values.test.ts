import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/access/authorize.ts';
import { type AskedRequest, NO_REQUEST, tagKeys } from '../../../src/access/request-keys.ts';

/**
 * Keys of several values (`s3:RequestObjectTagKeys`), and whether a condition on them holds: by
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html
 * a key without values is as one that is not there.
 */
const account = { name: 'a', canonicalId: 'c', displayName: 'a', email: 'a@b', accountNumber: '111122223333' };
const CALLER = { kind: 'account', account, accessKeyId: 'k' } as const;
const TAGGINGS = {
  absent: undefined,
  empty: '',
  one: 'a=1',
  'another one': 'x=1',
  'one without value': 'a=',
  both: 'a=1&b=2',
  'one of them': 'a=1&x=2',
} as const;
type Tagging = keyof typeof TAGGINGS;

interface Way {
  readonly action: string;
  resource(text: string | undefined): object;
  asked(text: string | undefined): Partial<AskedRequest>;
}

/** Said in the header of an upload, and in the body of PutObjectTagging. */
const WAYS: Readonly<Record<string, Way>> = {
  'a header': {
    action: 's3:PutObject',
    resource: () => ({}),
    asked: (text) => ({
      operation: 'PutObject',
      headers: { get: (name) => (name === 'x-amz-tagging' ? text : undefined), startingWith: () => [] },
    }),
  },
  'a body': {
    action: 's3:PutObjectTagging',
    resource: (text) =>
      text === undefined
        ? {}
        : { says: tagKeys([...new URLSearchParams(text)].map(([key, value]) => ({ key, value }))) },
    asked: () => ({ operation: 'PutObjectTagging' }),
  },
};

function holds(way: Way, tagging: Tagging, condition: object): boolean {
  const statement = { Effect: 'Deny', Principal: '*', Action: way.action, Resource: 'arn:aws:s3:::b/*' };
  const policy = JSON.stringify({ Version: '2012-10-17', Statement: { ...statement, Condition: condition } });
  const bucket = { name: 'b', ownerId: 'c', settings: { policy } };
  const text = TAGGINGS[tagging];
  const asked = { ...NO_REQUEST, bucket: 'b', key: 'k', ...way.asked(text) };
  const resource = { bucket, key: 'k', object: { ownerId: 'c' }, ...way.resource(text) };
  return !decide(CALLER, way.action, resource, asked).allowed;
}

const KEYS = 's3:RequestObjectTagKeys';
const ALL = Object.keys(TAGGINGS) as Tagging[];
const NONE: Tagging[] = ['absent', 'empty'];
const WITHIN: Tagging[] = ['one', 'one without value', 'both'];
const FROM: Tagging[] = [...WITHIN, 'one of them'];
const but = (without: readonly Tagging[]): Tagging[] => ALL.filter((one) => !without.includes(one));

/** A condition on the keys `a` and `b`, and the requests for which it holds. */
const CONDITIONS: readonly (readonly [operator: string, wanted: string | string[], holding: readonly Tagging[]])[] = [
  ['Null', 'true', NONE],
  ['Null', 'false', but(NONE)],
  ['Null', ['true', 'false'], ALL],
  ['ForAllValues:StringEquals', ['a', 'b'], [...NONE, ...WITHIN]],
  ['ForAllValues:StringLike', ['a*', 'b?'], [...NONE, 'one', 'one without value']],
  ['ForAllValues:StringEqualsIfExists', ['a', 'b'], [...NONE, ...WITHIN]],
  ['ForAllValues:StringNotEquals', ['a', 'b'], [...NONE, 'another one']],
  ['ForAnyValue:StringEquals', ['a', 'b'], FROM],
  ['ForAnyValue:StringEqualsIfExists', ['a', 'b'], [...NONE, ...FROM]],
  ['ForAnyValue:StringNotEquals', ['a', 'b'], ['another one', 'one of them']],
  ['ForAnyValue:StringNotEqualsIfExists', ['a', 'b'], [...NONE, 'another one', 'one of them']],
  ['StringEquals', ['a', 'b'], FROM],
  ['StringEqualsIfExists', ['a', 'b'], [...NONE, ...FROM]],
  ['StringNotEquals', ['a', 'b'], [...NONE, 'another one']],
  ['ForAllValues:StringEquals', [''], NONE],
];

describe.each(Object.entries(WAYS))('the keys of the tags that a request gives, by %s', (_, way) => {
  it.each(CONDITIONS)('%s %j', (operator, wanted, holding) => {
    const found = ALL.filter((tagging) => holds(way, tagging, { [operator]: { [KEYS]: wanted } }));
    expect(found).toEqual(ALL.filter((tagging) => holding.includes(tagging)));
  });

  it('are none of all requests that give none, so that a denial has to ask for that besides', () => {
    const denial = { 'ForAllValues:StringNotEquals': { [KEYS]: ['a'] }, Null: { [KEYS]: 'false' } };
    expect(ALL.filter((tagging) => holds(way, tagging, denial))).toEqual(['another one']);
  });

  it('are there where a tag has no value, and so is the tag', () => {
    const tag = 's3:RequestObjectTag/a';
    const among = (condition: object): Tagging[] => ALL.filter((tagging) => holds(way, tagging, condition));
    expect(among({ Null: { [tag]: 'false' } })).toEqual(['one', 'one without value', 'both', 'one of them']);
    expect(among({ StringEquals: { [tag]: '' } })).toEqual(['one without value']);
    expect(among({ StringNotEquals: { [tag]: '1' } })).toEqual(['absent', 'empty', 'another one', 'one without value']);
  });
});
