import { decide } from '../../src/access/authorize.ts';
import { S3_ACTIONS } from '../../src/access/policy/actions.ts';
import { lookupName } from '../../src/access/policy/context.ts';
import { decisionKeys } from '../../src/access/request-keys.ts';
import { ARNS, BUCKET, OWNER, type PolicyCase, principalOf } from './cases.ts';

/** What `runUnsafeSimulation` and its like answer, as far as it is read here. */
export interface Simulator {
  readonly anonymousPrincipal: unknown;
  runSimulation(
    simulation: object,
    options: object,
  ): Promise<{
    readonly resultType: string;
    readonly errors?: { readonly message: string };
    readonly overallResult?: string;
  }>;
}

const ROOT = {
  name: 'root',
  policy: { Version: '2012-10-17', Statement: { Effect: 'Allow', Action: '*', Resource: '*' } },
};

const KEYS = [
  'aws:username',
  'aws:userid',
  'aws:PrincipalArn',
  'aws:PrincipalAccount',
  'aws:PrincipalTag/team',
  'aws:SourceIp',
  'aws:SecureTransport',
  'aws:CurrentTime',
  's3:prefix',
  's3:max-keys',
  's3:ExistingObjectTag/team',
  's3:RequestObjectTagKeys',
];

/** Ours. */
export function decideCase(one: PolicyCase): boolean {
  const { bucket, key, action, asked, tags } = one;
  const resource = {
    bucket: { name: BUCKET, ownerId: OWNER.canonicalId, settings: bucket === undefined ? {} : { policy: bucket } },
    key,
    object: { ownerId: OWNER.canonicalId, tags },
  };
  return decide(principalOf(one), action, resource, asked).allowed;
}

/** The other's; undefined: it refuses to answer. */
export async function simulateCase(one: PolicyCase, simulator: Simulator): Promise<boolean | undefined> {
  const { caller, identity, session, bucket, action, key, asked, tags } = one;
  const principal = principalOf(one);
  const keys = decisionKeys(action, { principal, resource: { key, object: { tags } }, asked });
  const known = KEYS.map((name) => [name, keys.get(lookupName(name))] as const).filter(
    ([, value]) => value !== undefined,
  );
  const isOnObject = S3_ACTIONS.get(action) === 'object';
  const isRoot = caller === 'root' || caller === 'otherRoot';
  const result = await simulator.runSimulation(
    {
      request: {
        principal: caller === 'anonymous' ? simulator.anonymousPrincipal : ARNS[caller],
        action,
        resource: {
          resource: isOnObject ? `arn:aws:s3:::${BUCKET}/${key}` : `arn:aws:s3:::${BUCKET}`,
          accountId: OWNER.accountNumber,
        },
        contextVariables: Object.fromEntries(known),
      },
      // It knows no root: an account may do what is its own.
      identityPolicies: isRoot
        ? [ROOT]
        : identity.map((text, at) => ({ name: String(at), policy: JSON.parse(text) as unknown })),
      ...(session !== undefined && { sessionPolicy: JSON.parse(session) as unknown }),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      ...(bucket !== undefined && { resourcePolicy: JSON.parse(bucket) as unknown }),
    },
    {},
  );
  if (result.resultType === 'error') return undefined;
  return result.overallResult === 'Allowed';
}
