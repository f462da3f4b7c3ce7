import { requireSessions } from './session-parameters.ts';
import type { Principal } from '../../access/accounts.ts';
import type { Role } from '../../access/identities/identities.ts';
import { policyCaller } from '../../access/policy-caller.ts';
import { assumptionKeys, mayAssume } from '../../access/sessions/assume.ts';
import { StsError } from '../../errors/sts-error.ts';
import { ARN, EXTERNAL_ID, optional, required, seconds, SESSION_NAME } from '../../protocol/sts/constraints.ts';
import type { StsForm } from '../../protocol/sts/form.ts';
import type { StsAction, StsContext } from './action.ts';
import { grantSession } from './grant-session.ts';
import { assumeOwnIdentity, refuseSecondFactor } from './own-identity.ts';
import { type SessionTags, sessionTags } from './session-tags.ts';

const HOUR = 3600;
type Caller = Extract<Principal, { kind: 'account' }>;

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html; without a role, as MinIO has it. */
export const assumeRole: StsAction = (form, context) => {
  if (form.get('RoleArn') === undefined) return assumeOwnIdentity(form, context);
  const { principal, accounts, sessions } = context;
  if (principal.kind === 'anonymous') throw new StsError('MissingAuthenticationToken');
  const { session } = principal;
  requireSessions(sessions);
  const arn = required(form, 'RoleArn', ARN);
  const name = required(form, 'RoleSessionName', SESSION_NAME);
  const tags = sessionTags(form, session);
  const sourceIdentity = optional(form, 'SourceIdentity', SESSION_NAME) ?? session?.sourceIdentity;
  if (session?.sourceIdentity !== undefined && sourceIdentity !== session.sourceIdentity) {
    throw new StsError('AccessDenied', 'The source identity of a session cannot be changed.');
  }
  const isChained = session?.role !== undefined;
  const lasts = seconds(form, 'DurationSeconds', { min: 900, max: 12 * HOUR, fallback: HOUR });
  const role = accounts.role(arn);
  // A role that does not exist gets the same answer as one that the caller may not assume, so that names are not
  // disclosed.
  if (role === undefined || !isAllowed(role, { form, principal, context, tags })) throw notAuthorized(principal, arn);
  refuseSecondFactor(form);
  if (isChained && lasts > HOUR) {
    throw new StsError(
      'ValidationError',
      'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.',
    );
  }
  return grantSession(form, { context, role, name, lasts, tags, sourceIdentity });
};

interface Asked {
  readonly form: StsForm;
  readonly principal: Caller;
  readonly context: StsContext;
  readonly tags: SessionTags;
}

function isAllowed(role: Role, { form, principal, context, tags }: Asked): boolean {
  const { user } = principal;
  const { clientAddress, scheme, userAgent, now } = context.request;
  const caller = policyCaller(principal);
  const sourceIdentity = form.get('SourceIdentity');
  const transitive = form.list('TransitiveTagKeys');
  const keys = assumptionKeys(
    {
      'sts:externalid': optional(form, 'ExternalId', EXTERNAL_ID),
      'sts:rolesessionname': form.get('RoleSessionName'),
      'sts:sourceidentity': sourceIdentity,
      'sts:transitivetagkeys': transitive.length === 0 ? undefined : transitive,
      'aws:sourceidentity': principal.session?.sourceIdentity,
      'aws:federatedprovider': principal.session?.provider,
      'aws:multifactorauthpresent': principal.session === undefined ? undefined : 'false',
      'aws:tokenissuetime': principal.session && new Date(principal.session.issuedAt).toISOString(),
      'aws:sourceip': clientAddress,
      'aws:securetransport': String(scheme === 'https'),
      'aws:useragent': userAgent,
      'aws:currenttime': new Date(now).toISOString(),
      'aws:epochtime': String(Math.floor(now / 1000)),
      'aws:principalarn': caller.arns.at(-1),
      'aws:principalaccount': caller.accountNumber,
      'aws:principaltype':
        principal.session?.role !== undefined ? 'AssumedRole' : user === undefined ? 'Account' : 'User',
      'aws:username': principal.session?.role === undefined ? user?.name : undefined,
      'aws:userid': user === undefined ? principal.account.accountNumber : user.id,
      'aws:resourceaccount': role.account.accountNumber,
    },
    { asked: tags.asked, principal: user?.tags, role: role.tags },
  );
  const assumes = (action: Parameters<typeof mayAssume>[0]['action']): boolean =>
    mayAssume({ role, action, caller, principal, keys });
  if (!assumes('sts:AssumeRole')) return false;
  if (Object.keys(tags.all).length > 0 && !assumes('sts:TagSession')) return false;
  return (sourceIdentity ?? principal.session?.sourceIdentity) === undefined || assumes('sts:SetSourceIdentity');
}

function notAuthorized({ account, user }: Caller, arn: string): StsError {
  return new StsError(
    'AccessDenied',
    `User: ${user?.arn ?? `arn:aws:iam::${account.accountNumber}:root`} is not authorized to perform: sts:AssumeRole on resource: ${arn}`,
  );
}
