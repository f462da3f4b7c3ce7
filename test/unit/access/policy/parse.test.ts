import { describe, expect, it } from 'vitest';
import type { PolicyKind } from '../../../../src/access/policy/document.ts';
import { foreignResource } from '../../../../src/access/policy/check-bucket-statement.ts';
import { parsePolicy } from '../../../../src/access/policy/parse.ts';
import { named, statement } from './policies.ts';

function firstSentence(text: string, kind: PolicyKind): string | undefined {
  return parsePolicy(text, kind).faults?.[0].sentence;
}

const ofBucket = (fields: object): string => statement(fields, 'resource');

describe('policies of buckets', () => {
  it.each<[string, string, string]>([
    ['', "Policies must be valid JSON and the first byte must be '{'", 'nothing'],
    ['[]', "Policies must be valid JSON and the first byte must be '{'", 'a list'],
    ['{"Version"', 'This policy contains invalid Json', 'half a document'],
    ['{"Version":"2012-10-17"}', 'Missing required field Statement', 'no statement'],
    ['{"Statement":[]}', 'Could not parse the policy: Statement is empty!', 'an empty statement'],
    [
      '{"Version":"2020-01-01","Statement":[]}',
      'The policy must contain a valid version string',
      'a version that is none',
    ],
    ['{"Versions":"2012-10-17","Statement":[]}', 'Unknown field Versions', 'an unknown field'],
    [ofBucket({ Effect: undefined }), 'Missing required field Effect', 'no effect'],
    [ofBucket({ Effect: 'allow' }), 'Invalid effect: allow', 'a wrong effect'],
    [ofBucket({ Principal: undefined }), 'Missing required field Principal', 'no principal'],
    [ofBucket({ Action: undefined }), 'Missing required field Action', 'no action'],
    [ofBucket({ Action: [] }), 'Missing required field Action', 'no action in the list'],
    [ofBucket({ Resource: undefined }), 'Missing required field Resource', 'no resource'],
    [ofBucket({ Actions: 's3:GetObject' }), 'Unknown field Actions', 'an unknown field of a statement'],
    [ofBucket({ Action: 's3:GetObjects' }), 'Policy has invalid action', 'an unknown action'],
    [ofBucket({ Action: 's3:Got*' }), 'Policy has invalid action', 'a pattern without actions'],
    [ofBucket({ Action: 'iam:GetUser' }), 'Policy has invalid action', 'another service'],
    [ofBucket({ Resource: '*' }), 'Policy has invalid resource', 'every resource'],
    [ofBucket({ Resource: 'bucket/*' }), 'Policy has invalid resource', 'a resource that is no ARN'],
    [ofBucket({ Resource: 'arn:aws:sqs:::bucket' }), 'Policy has invalid resource', 'a resource of another service'],
    [
      ofBucket({ Resource: 'arn:aws:s3:::bucket' }),
      'Action does not apply to any resource(s) in statement',
      'an action of objects on the bucket',
    ],
    [
      ofBucket({ Action: ['s3:GetObject', 's3:ListBucket'] }),
      'Action does not apply to any resource(s) in statement',
      'an action of buckets on objects',
    ],
    [ofBucket({ Principal: 'anna' }), 'Invalid principal in policy', 'a principal without kind'],
    [ofBucket({ Principal: { AWS: 'anna' } }), 'Invalid principal in policy', 'a name'],
    [ofBucket({ Principal: { AWS: 'arn:aws:iam::111122223333:user/*' } }), 'Invalid principal in policy', 'a pattern'],
    [ofBucket({ Principal: { AWS: '11112222333' } }), 'Invalid principal in policy', 'eleven digits'],
    [ofBucket({ Principal: { Aws: '*' } }), 'Invalid principal in policy', 'an unknown kind'],
    [ofBucket({ Principal: {} }), 'Invalid principal in policy', 'nobody'],
    [
      ofBucket({ Condition: { StringMatches: { 'aws:UserAgent': 'x' } } }),
      'Invalid Condition type : StringMatches',
      'an unknown operator',
    ],
    [
      ofBucket({ Condition: { StringEquals: { 's3:colour': 'x' } } }),
      'Policy has an invalid condition key',
      'an unknown key',
    ],
    [
      ofBucket({ Condition: { StringEquals: { 'aws:colour': 'x' } } }),
      'Policy has an invalid condition key',
      'an unknown global key',
    ],
    [
      ofBucket({ Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/33' } } }),
      'Policy has an invalid condition value',
      'a block that is none',
    ],
    [
      ofBucket({ Condition: { StringEquals: { 's3:prefix': 'x' } } }),
      'Conditions do not apply to combination of actions and resources in statement',
      'a key that the action does not have',
    ],
    [
      '{"Statement":{"Effect":"Allow","Effect":"Deny","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::b/*"}}',
      'Invalid policy syntax.',
      'one name twice',
    ],
  ])('%s is refused: %s (%s)', (text, sentence) => {
    expect(firstSentence(text, 'resource')).toBe(sentence);
  });

  it('tells the first fault of each statement, and where', () => {
    const text = JSON.stringify({
      Statement: [{ Effect: 'x' }, { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'x' }],
    });
    expect(parsePolicy(text, 'resource').faults?.map(({ path }) => path)).toEqual([
      'Statement[0].Effect',
      'Statement[1].Resource',
    ]);
  });

  it.each([
    ofBucket({
      Principal: {
        AWS: ['111122223333', 'arn:aws:iam::111122223333:root', 'arn:aws:sts::111122223333:assumed-role/r/s'],
        CanonicalUser: 'abc',
      },
    }),
    ofBucket({ Principal: { Service: 'logging.s3.amazonaws.com' } }),
    ofBucket({ Action: ['s3:Get*', 's3:ListBucket'], Resource: ['arn:aws:s3:::bucket', 'arn:aws:s3:::bucket/*'] }),
    ofBucket({ Action: '*' }),
    ofBucket({ Action: undefined, NotAction: 's3:DeleteObject' }),
    ofBucket({ Resource: undefined, NotResource: 'arn:aws:s3:::bucket/private/*' }),
    ofBucket({ Principal: undefined, NotPrincipal: { AWS: '111122223333' }, Effect: 'Deny' }),
    ofBucket({ Condition: { Bool: { 'aws:SecureTransport': false }, NumericLessThan: { 's3:TlsVersion': 1.2 } } }),
    ofBucket({ Condition: { StringEquals: { 's3:ExistingObjectTag/Team': 'blue' } } }),
  ])('takes %s', (text) => {
    expect(parsePolicy(text, 'resource').faults).toBeUndefined();
  });

  it('is about one bucket', () => {
    const { document } = named(
      ofBucket({ Resource: ['arn:aws:s3:::bucket/*', 'arn:aws:s3:::buck*', 'arn:aws:s3:::*'] }),
      'resource',
    );
    expect(foreignResource(document, 'bucket')).toBeUndefined();
    expect(foreignResource(document, 'other')?.text).toBe('arn:aws:s3:::bucket/*');
  });
});

describe('policies of identities, sessions and roles', () => {
  it.each<[PolicyKind, string, string]>([
    ['identity', 'x', 'Syntax errors in policy.'],
    ['identity', statement({ Principal: '*' }), 'Policy document should not specify a principal.'],
    ['session', statement({ NotPrincipal: '*' }), 'Policy document should not specify a principal.'],
    ['identity', statement({ Action: undefined }), 'Policy statement must contain actions.'],
    [
      'identity',
      statement({ Action: 'GetObject' }),
      'Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.',
    ],
    ['identity', statement({ Resource: undefined }), 'Policy statement must contain resources.'],
    ['identity', statement({ Resource: 'bucket' }), 'Resource bucket must be in ARN format or "*".'],
    ['identity', statement({ Sid: 'with spaces' }), 'Statement IDs (SID) should only contain alphanumeric characters.'],
    ['trust', statement({ Resource: '*' }, 'trust'), 'Has prohibited field Resource'],
    ['trust', statement({ Principal: { AWS: 'anna' } }, 'trust'), 'Invalid principal in policy: "anna"'],
  ])('%s: %s is refused: %s', (kind, text, sentence) => {
    expect(firstSentence(text, kind)).toBe(sentence);
  });

  it('one Sid stands once', () => {
    const one = { Sid: 'a', Effect: 'Allow', Action: 's3:*', Resource: '*' };
    expect(firstSentence(JSON.stringify({ Statement: [one, one] }), 'identity')).toBe(
      'Statement IDs (SID) in a single policy must be unique.',
    );
  });

  it.each<[PolicyKind, string]>([
    ['identity', statement({ Action: 'ec2:DescribeInstances', Resource: '*' })],
    ['session', statement({ Resource: 'arn:aws:s3:::bucket/${aws:username}/*' })],
    [
      'trust',
      statement(
        {
          Action: 'sts:AssumeRoleWithWebIdentity',
          Principal: { Federated: 'https://issuer.example' },
          Condition: { StringEquals: { 'issuer.example/path:sub': 'system:serviceaccount:ns:name' } },
        },
        'trust',
      ),
    ],
  ])('%s: takes %s', (kind, text) => {
    expect(parsePolicy(text, kind).faults).toBeUndefined();
  });
});
