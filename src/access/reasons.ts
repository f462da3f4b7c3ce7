import type { AccessReasons, StatementFacts } from '../observe/access-facts.ts';
import type { Principal } from './accounts.ts';
import { principalArn } from './policy-caller.ts';
import type { PolicyContext } from './policy/context.ts';
import type { Evaluation, LookedAt } from './policy/evaluate.ts';

/** Where something may have to be allowed. */
export type Side = 'identity' | 'session' | 'bucket';

/** Statements told of one request. */
const MAX_LOOKED = 100;

const DOCUMENTS: Readonly<Record<Side, string>> = {
  identity: 'a policy of the caller',
  session: 'the policy of the session',
  bucket: 'bucket policy',
};

interface Decided {
  readonly context: PolicyContext;
  readonly said: readonly (Evaluation | undefined)[];
  readonly by: LookedAt | undefined;
  readonly lacking: readonly Side[];
  readonly principal: Principal;
}

/** A decision in words. */
export function reasonsOf({ context, said, by, lacking, principal }: Decided): AccessReasons {
  const looked = said.flatMap((evaluation) => evaluation?.looked ?? []);
  const { resource } = context;
  return {
    resource,
    ...(by !== undefined && { by: statementFacts(by) }),
    looked: looked.slice(0, MAX_LOOKED).map(statementFacts),
    ...(looked.length > MAX_LOOKED && { omitted: looked.length - MAX_LOOKED }),
    ...(lacking.length > 0 && {
      remedies: lacking.map((side) => ({ document: DOCUMENTS[side], statement: smallest(side, context, principal) })),
    }),
  };
}

function statementFacts({ policy, statement, mismatch, condition }: LookedAt): StatementFacts {
  const { sid, index, effect } = statement;
  return {
    policy: policy.name,
    statement: sid === undefined || sid === '' ? String(index + 1) : sid,
    effect,
    ...(mismatch !== undefined && { mismatch }),
    ...(condition !== undefined && { condition: `${condition.operator} ${condition.key}` }),
  };
}

/** The smallest statement that would allow the request. Wildcards in a key stand for themselves. */
function smallest(side: Side, { action, resource }: PolicyContext, principal: Principal): string {
  const arn = principalArn(principal);
  const escaped = resource === 'arn:aws:s3:::*' ? '*' : resource.replace(/[$*?]/g, (char) => `\${${char}}`);
  return JSON.stringify({
    Effect: 'Allow',
    ...(side === 'bucket' && { Principal: arn === undefined ? '*' : { AWS: arn } }),
    Action: action,
    Resource: escaped,
  });
}
