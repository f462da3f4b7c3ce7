import type { AccessReasons, StatementFacts } from '../observe/access-facts.ts';
import type { Principal } from './accounts.ts';
import { principalArn } from './policy-caller.ts';
import { ANY_RESOURCE } from './policy/context.ts';
import type { NamedPolicy, Statement } from './policy/document.ts';
import { type Answer, type PolicyAnswer, type Spoken, applies } from './policy/evaluate.ts';
import { escapePattern } from './policy/pattern.ts';

/** A place whose policies may have to allow an action. */
export type Side = 'identity' | 'session' | 'bucket';

/** Most statements that the reasons of one request name, and longest name of one. */
const MAX_LOOKED = 100;
const MAX_NAME = 128;

const DOCUMENTS: Readonly<Record<Side, string>> = {
  identity: 'a policy of the caller',
  session: 'the policy of the session',
  bucket: 'bucket policy',
};

/** A decision. It holds nothing of the request, which would stay in memory as long as somebody may ask why. */
interface Decided {
  readonly action: string;
  readonly resource: string;
  readonly said: readonly PolicyAnswer[];
  readonly by: Spoken | undefined;
  readonly lacking: readonly Side[];
  readonly principal: Principal;
}

/** Explains a decision. The statement that decided is told, however many stand before it. */
export function explain(decided: Decided): AccessReasons {
  const { resource, said, by, lacking } = decided;
  const looked: StatementFacts[] = [];
  let omitted = 0;
  for (const { policy, answers } of said) {
    for (let place = 0; place < answers.length; place += 1) {
      const statement = policy.document.statements[place];
      const answer = answers[place];
      if (statement === undefined || answer === undefined) continue;
      if (looked.length < MAX_LOOKED || by?.statement === statement) looked.push(told(policy, statement, answer));
      else omitted += 1;
    }
  }
  return {
    resource,
    ...(by !== undefined && { by: told(by.policy, by.statement, 'unnamed') }),
    looked,
    ...(omitted > 0 && { omitted }),
    ...(lacking.length > 0 && {
      remedies: lacking.map((side) => ({ document: DOCUMENTS[side], statement: remedy(decided, side) })),
    }),
  };
}

const MISMATCHES = { otherAction: 'action', otherResource: 'resource', otherPrincipal: 'principal' } as const;

function told({ name }: NamedPolicy, { sid, index, effect }: Statement, answer: Answer): StatementFacts {
  const statement = sid === undefined || sid === '' ? String(index + 1) : sid.slice(0, MAX_NAME);
  if (typeof answer === 'object') {
    return { policy: name, statement, effect, mismatch: 'condition', condition: answer.label };
  }
  return applies(answer)
    ? { policy: name, statement, effect }
    : { policy: name, statement, effect, mismatch: MISMATCHES[answer] };
}

/** The smallest statement that would allow the request. Wildcards in the key are escaped. */
function remedy({ action, resource, principal }: Decided, side: Side): string {
  const arn = principalArn(principal);
  return JSON.stringify({
    Effect: 'Allow',
    ...(side === 'bucket' && { Principal: arn === undefined ? '*' : { AWS: arn } }),
    Action: action,
    Resource: resource === ANY_RESOURCE ? '*' : escapePattern(resource),
  });
}
