import type { PolicyKind } from './document.ts';

/** What can be wrong with a document. `subject`: the value or name that is meant, where the sentence has one. */
export type FaultName =
  | 'notJson'
  | 'notAnObject'
  | 'version'
  | 'noStatement'
  | 'emptyStatement'
  | 'unknownField'
  | 'syntax'
  | 'missing'
  | 'prohibited'
  | 'both'
  | 'effect'
  | 'sid'
  | 'duplicateSid'
  | 'principal'
  | 'noAction'
  | 'action'
  | 'noResource'
  | 'resource'
  | 'mismatch'
  | 'conditionType'
  | 'conditionKey'
  | 'conditionValue'
  | 'conditionMismatch'
  | 'tooLarge';

type Sentence = string | ((subject: string) => string);

/** Of PutBucketPolicy. */
const OF_BUCKETS: Readonly<Record<FaultName, Sentence>> = {
  notJson: 'This policy contains invalid Json',
  notAnObject: "Policies must be valid JSON and the first byte must be '{'",
  version: 'The policy must contain a valid version string',
  noStatement: 'Missing required field Statement',
  emptyStatement: 'Could not parse the policy: Statement is empty!',
  unknownField: (name) => `Unknown field ${name}`,
  syntax: 'Invalid policy syntax.',
  missing: (name) => `Missing required field ${name}`,
  prohibited: (name) => `Unknown field ${name}`,
  both: (name) => `Statement cannot have both ${name} and Not${name}`,
  effect: (value) => `Invalid effect: ${value}`,
  sid: 'Invalid policy syntax.',
  duplicateSid: 'Statement IDs (SID) in a single policy must be unique.',
  principal: 'Invalid principal in policy',
  noAction: 'Missing required field Action',
  action: 'Policy has invalid action',
  noResource: 'Missing required field Resource',
  resource: 'Policy has invalid resource',
  mismatch: 'Action does not apply to any resource(s) in statement',
  conditionType: (name) => `Invalid Condition type : ${name}`,
  conditionKey: 'Policy has an invalid condition key',
  conditionValue: 'Policy has an invalid condition value',
  conditionMismatch: 'Conditions do not apply to combination of actions and resources in statement',
  tooLarge: 'Policy exceeds the maximum allowed document size.',
};

/** Of IAM and STS, for what belongs to identities. */
const OF_IDENTITIES: Readonly<Record<FaultName, Sentence>> = {
  ...OF_BUCKETS,
  notJson: 'This policy contains invalid Json',
  notAnObject: 'Syntax errors in policy.',
  version: 'Policy document must be version 2012-10-17 or greater.',
  noStatement: 'Syntax errors in policy.',
  emptyStatement: 'Syntax errors in policy.',
  unknownField: 'Syntax errors in policy.',
  syntax: 'Syntax errors in policy.',
  missing: 'Syntax errors in policy.',
  prohibited: (name) => `Has prohibited field ${name}`,
  both: 'Syntax errors in policy.',
  effect: 'Syntax errors in policy.',
  sid: 'Statement IDs (SID) should only contain alphanumeric characters.',
  principal: (value) => `Invalid principal in policy: "${value}"`,
  noAction: 'Policy statement must contain actions.',
  action: 'Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.',
  noResource: 'Policy statement must contain resources.',
  resource: (value) => `Resource ${value} must be in ARN format or "*".`,
  conditionType: 'Syntax errors in policy.',
  conditionKey: 'Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc.',
  conditionValue: 'Syntax errors in policy.',
};

const SENTENCES: Readonly<Record<PolicyKind, Readonly<Record<FaultName, Sentence>>>> = {
  resource: OF_BUCKETS,
  identity: { ...OF_IDENTITIES, prohibited: 'Policy document should not specify a principal.' },
  session: { ...OF_IDENTITIES, prohibited: 'Policy document should not specify a principal.' },
  trust: OF_IDENTITIES,
};

/** The sentence with which AWS tells of a fault. */
export function sentenceOf(kind: PolicyKind, fault: FaultName, subject: string): string {
  const sentence = SENTENCES[kind][fault];
  return typeof sentence === 'string' ? sentence : sentence(subject);
}
