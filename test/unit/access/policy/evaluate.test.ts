import { describe, expect, it } from 'vitest';
import { ANONYMOUS_CALLER, type PolicyCaller } from '../../../../src/access/policy/context.ts';
import { evaluate } from '../../../../src/access/policy/evaluate.ts';
import { USER, asked, keysOf, named, statement } from './policies.ts';

const SESSION: PolicyCaller = {
  accountNumber: '111122223333',
  arns: ['arn:aws:sts::111122223333:assumed-role/reader/ci', 'arn:aws:iam::111122223333:role/reader'],
  isRoot: false,
};
const ROOT: PolicyCaller = {
  accountNumber: '111122223333',
  canonicalId: 'c1',
  arns: ['arn:aws:iam::111122223333:root'],
  isRoot: true,
};

const SERVICE: PolicyCaller = { service: 'logging.s3.amazonaws.com', arns: [], isRoot: false };

describe('what a statement is about', () => {
  it.each<[object, string]>([
    [{}, 'allow'],
    [{ Action: 's3:getobject' }, 'allow'],
    [{ Action: 's3:Get?bject' }, 'allow'],
    [{ Action: 's3:GetObjectAcl' }, 'none'],
    [{ Action: undefined, NotAction: 's3:Put*' }, 'allow'],
    [{ Action: undefined, NotAction: 's3:Get*' }, 'none'],
    [{ Resource: '*' }, 'allow'],
    [{ Resource: 'arn:aws:s3:::*' }, 'allow'],
    [{ Resource: 'arn:aws:s3:::buck*' }, 'allow'],
    [{ Resource: 'arn:aws:s3:::bucket/ke?' }, 'allow'],
    [{ Resource: 'arn:aws:s3:*:*:bucket/key' }, 'allow'],
    [{ Resource: 'arn:aws:s3:::bucket' }, 'none'],
    [{ Resource: 'arn:aws:s3:::Bucket/*' }, 'none'],
    [{ Resource: 'arn:aws:sqs:::bucket/*' }, 'none'],
    [{ Resource: undefined, NotResource: 'arn:aws:s3:::bucket/key' }, 'none'],
    [{ Resource: undefined, NotResource: 'arn:aws:s3:::bucket/other' }, 'allow'],
    [{ Effect: 'Deny' }, 'deny'],
  ])('%j: %s', (fields, effect) => {
    expect(asked(statement(fields)).effect).toBe(effect);
  });

  it('a denial counts wherever it stands', () => {
    const policies = [named(statement({})), named(statement({ Effect: 'Deny' }), 'identity', 'second')];
    const context = {
      caller: USER,
      action: 's3:GetObject',
      resource: 'arn:aws:s3:::bucket/key',
      keys: keysOf({}),
    };
    const found = evaluate(policies, context);
    expect(found.effect).toBe('deny');
    expect(found.by?.policy.name).toBe('second');
    expect(found.said.map(({ answers }) => answers)).toEqual([['unnamed'], ['unnamed']]);
  });

  it('says of each statement why it does not match', () => {
    const text = JSON.stringify({
      Statement: [
        { Effect: 'Allow', Principal: '*', Action: 's3:PutObject', Resource: 'arn:aws:s3:::bucket/*' },
        { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::bucket/other' },
        {
          Effect: 'Allow',
          Principal: { AWS: '999999999999' },
          Action: 's3:GetObject',
          Resource: 'arn:aws:s3:::bucket/*',
        },
        {
          Effect: 'Allow',
          Principal: '*',
          Action: 's3:GetObject',
          Resource: 'arn:aws:s3:::bucket/*',
          Condition: { StringEquals: { 'aws:UserAgent': 'a' }, Bool: { 'aws:SecureTransport': 'true' } },
        },
      ],
    });
    const { said, effect } = asked(
      text,
      { keys: keysOf({ 'aws:UserAgent': 'a', 'aws:SecureTransport': 'false' }) },
      'resource',
    );
    expect(effect).toBe('none');
    expect(said[0]?.answers.slice(0, 3)).toEqual(['otherAction', 'otherResource', 'otherPrincipal']);
    expect(said[0]?.answers.slice(3)).toMatchObject([{ key: 'aws:SecureTransport' }]);
  });
});

describe('whom a statement names', () => {
  it.each<[unknown, PolicyCaller, string | undefined]>([
    ['*', USER, 'anyone'],
    ['*', ANONYMOUS_CALLER, 'anyone'],
    [{ AWS: '*' }, ANONYMOUS_CALLER, 'anyone'],
    [{ AWS: '111122223333' }, USER, 'account'],
    [{ AWS: 'arn:aws:iam::111122223333:root' }, USER, 'account'],
    [{ AWS: 'arn:aws:iam::111122223333:root' }, ROOT, 'caller'],
    [{ CanonicalUser: 'c1' }, USER, 'account'],
    [{ CanonicalUser: 'c1' }, ROOT, 'caller'],
    [{ CanonicalUser: 'c1' }, ANONYMOUS_CALLER, undefined],
    [{ AWS: 'arn:aws:iam::111122223333:user/anna' }, USER, 'caller'],
    [{ AWS: ['111122223333', 'arn:aws:iam::111122223333:user/anna'] }, USER, 'caller'],
    [{ AWS: 'arn:aws:iam::111122223333:user/ann' }, USER, undefined],
    [{ AWS: 'arn:aws:iam::111122223333:role/reader' }, SESSION, 'role'],
    [{ AWS: 'arn:aws:sts::111122223333:assumed-role/reader/ci' }, SESSION, 'caller'],
    [{ AWS: 'arn:aws:sts::111122223333:assumed-role/reader/other' }, SESSION, undefined],
    [{ Service: 'logging.s3.amazonaws.com' }, USER, undefined],
    [{ Service: 'logging.s3.amazonaws.com' }, ANONYMOUS_CALLER, undefined],
    [{ Service: 'logging.s3.amazonaws.com' }, SERVICE, 'caller'],
    [{ Service: 'delivery.logs.amazonaws.com' }, SERVICE, undefined],
    ['*', SERVICE, undefined],
    [{ AWS: '*' }, SERVICE, undefined],
  ])('%j names %j through %s', (Principal, caller, through) => {
    const found = asked(statement({ Principal }, 'resource'), { caller }, 'resource');
    expect(found.through).toBe(through);
    expect(found.effect).toBe(through === undefined ? 'none' : 'allow');
  });

  it.each<['Allow' | 'Deny', object, PolicyCaller, string]>([
    ['Deny', { AWS: ['111122223333', 'arn:aws:iam::111122223333:user/anna'] }, USER, 'none'],
    ['Deny', { AWS: 'arn:aws:iam::111122223333:user/anna' }, USER, 'deny'],
    ['Deny', { AWS: '111122223333' }, USER, 'deny'],
    ['Deny', { AWS: '111122223333' }, ROOT, 'none'],
    ['Deny', { AWS: '111122223333' }, ANONYMOUS_CALLER, 'deny'],
    ['Allow', { AWS: '111122223333' }, USER, 'none'],
    ['Allow', { AWS: '999999999999' }, USER, 'allow'],
    ['Allow', { AWS: '999999999999' }, ANONYMOUS_CALLER, 'allow'],
    ['Allow', { AWS: '999999999999' }, SERVICE, 'none'],
    ['Deny', { AWS: '999999999999' }, SERVICE, 'deny'],
    ['Deny', { Service: 'logging.s3.amazonaws.com' }, SERVICE, 'none'],
    ['Deny', { Service: 'delivery.logs.amazonaws.com' }, SERVICE, 'deny'],
    ['Deny', { Service: 'logging.s3.amazonaws.com' }, ANONYMOUS_CALLER, 'deny'],
  ])('%s NotPrincipal %j for %j: %s', (Effect, NotPrincipal, caller, effect) => {
    const text = statement({ Effect, Principal: undefined, NotPrincipal }, 'resource');
    expect(asked(text, { caller }, 'resource').effect).toBe(effect);
  });
});

describe('variables', () => {
  const keys = keysOf({ 'aws:username': 'anna', 'aws:PrincipalTag/Team': 'b*e' });

  it.each<[string, string, string]>([
    ['${aws:username}/*', 'anna/x', 'allow'],
    ['${aws:username}/*', 'otto/x', 'none'],
    ['${aws:PrincipalTag/Team}/x', 'b*e/x', 'allow'],
    ['${aws:PrincipalTag/Team}/x', 'blue/x', 'none'],
    ["${aws:userid, 'nobody'}/x", 'nobody/x', 'allow'],
    ['${aws:userid}/x', '/x', 'none'],
    ['${aws:userid}*', 'anything', 'none'],
    ['${*}/${?}/${$}', '*/?/$', 'allow'],
    ['${*}', 'anything', 'none'],
  ])('%s takes %s: %s', (pattern, key, effect) => {
    const text = statement({ Resource: `arn:aws:s3:::bucket/${pattern}` });
    expect(asked(text, { resource: `arn:aws:s3:::bucket/${key}`, keys }).effect).toBe(effect);
  });

  it.each([
    ['Allow', 'none'],
    ['Deny', 'deny'],
  ])('%s of all but what a variable without value says: %s', (Effect, effect) => {
    const text = statement({ Effect, Resource: undefined, NotResource: 'arn:aws:s3:::bucket/${aws:userid}/*' });
    expect(asked(text, { keys }).effect).toBe(effect);
    expect(asked(text, { keys: keysOf({ 'aws:userid': 'x' }) }).effect).toBe(Effect.toLowerCase());
  });

  it('stand for themselves in documents of 2008', () => {
    const text = statement({ Resource: 'arn:aws:s3:::bucket/${aws:username}' }).replace('2012-10-17', '2008-10-17');
    expect(asked(text, { resource: 'arn:aws:s3:::bucket/anna', keys }).effect).toBe('none');
    expect(asked(text, { resource: 'arn:aws:s3:::bucket/${aws:username}', keys }).effect).toBe('allow');
  });
});
