import { ARNS, type PolicyCase } from './cases.ts';

/** Differences whose cause is known, by name. */
const DIFFERENCES: readonly (readonly [name: string, explains: (one: PolicyCase, ours: boolean) => boolean])[] = [
  [
    'a Deny whose NotPrincipal names a caller and not its account denies here',
    ({ bucket }, ours) => !ours && (bucket ?? '').includes('"Effect":"Deny","NotPrincipal"'),
  ],
  [
    'variables stand for themselves in documents of 2008 here, as IAM documents it',
    ({ identity, session, bucket }) =>
      [...identity, session ?? '', bucket ?? ''].some((text) => text.includes('2008-10-17') && text.includes('${')),
  ],
  [
    'what a bucket gives a session by name is not limited by the policy of the session here, as IAM documents it',
    ({ caller, session, bucket }, ours) =>
      ours && caller === 'session' && session !== undefined && (bucket ?? '').includes(ARNS.session),
  ],
  [
    'an address of the other family is outside a block of NotIpAddress here, and fits neither there',
    ({ identity, session, bucket, asked }) =>
      (asked.clientAddress ?? '').includes(':') &&
      [...identity, session ?? '', bucket ?? ''].some((text) => text.includes('NotIpAddress')),
  ],
  [
    'a Deny of all but what a variable without value says denies here, and is nothing there',
    ({ identity, session, bucket, caller }, ours) =>
      !ours &&
      caller !== 'user' &&
      caller !== 'otherUser' &&
      [...identity, session ?? '', bucket ?? ''].some((text) =>
        /"Effect":"Deny".*?"NotResource":\[?(?:"[^"]*",?)*"[^"]*\$\{aws:username\}/.test(text),
      ),
  ],
  [
    // IAM: negated operators "match for a null value, as the value of the condition key they're testing against is not
    // equal to or like the effectively null value".
    // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html#policy-vars-no-value
    'a negated comparison with a variable without value holds here, as IAM documents it, and does not there',
    ({ identity, session, bucket, caller }) =>
      caller !== 'user' &&
      caller !== 'otherUser' &&
      [...identity, session ?? '', bucket ?? ''].some((text) =>
        /"StringNot(?:Equals|Like)(?:IfExists)?":\{[^}]*\$\{aws:username\}/.test(text),
      ),
  ],
];

/** The first difference that explains a case; undefined: none does. */
export function explainedBy(one: PolicyCase, ours: boolean): string | undefined {
  return DIFFERENCES.find(([, explains]) => explains(one, ours))?.[0];
}
