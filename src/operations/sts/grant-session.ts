import type { Role } from '../../access/identities/identities.ts';
import type { SessionClaims } from '../../access/sessions/claims.ts';
import { sessionUser } from '../../access/sessions/sessions.ts';
import { StsError } from '../../errors/sts-error.ts';
import type { XmlElements } from '../../protocol/xml/encode.ts';
import type { StsForm } from '../../protocol/sts/form.ts';
import type { StsContext } from './action.ts';
import { credentialsElement, packedSize, sessionPolicies } from './session-parameters.ts';
import type { SessionTags } from './session-tags.ts';

interface Grant {
  readonly context: StsContext;
  readonly role: Role;
  /** RoleSessionName. */
  readonly name: string;
  /** Seconds. */
  readonly lasts: number;
  readonly tags: SessionTags;
  readonly sourceIdentity?: string | undefined;
  /** ARN of the identity provider. */
  readonly provider?: string;
}

/**
 * Makes the credentials of a session of a role that the caller may assume.
 * @throws StsError ValidationError, MalformedPolicyDocument, PackedPolicyTooLarge
 */
export function grantSession(
  form: StsForm,
  { context, role, name, lasts, tags, sourceIdentity, provider }: Grant,
): XmlElements {
  const { accounts, sessions, request } = context;
  if (lasts * 1000 > role.maxSessionMs) {
    throw new StsError(
      'ValidationError',
      'The requested DurationSeconds exceeds the MaxSessionDuration set for this role.',
    );
  }
  const narrowing = sessionPolicies(form, { account: role.account, accounts });
  const packed = packedSize(narrowing, tags.all);
  const issuedAt = Math.floor(request.now / 1000);
  // The error comes now. Otherwise the caller would get a token that is refused when it is used.
  if (role.notBefore !== undefined && issuedAt * 1000 < role.notBefore) {
    throw new StsError('AccessDenied', 'Sessions of this role are refused until a moment that has not come yet.');
  }
  const claims: SessionClaims = {
    issuedAt,
    expiresAt: issuedAt + lasts,
    identity: { kind: 'role', role: role.arn, name, ...(provider !== undefined && { provider }) },
    ...narrowing,
    ...(Object.keys(tags.all).length > 0 && { tags: tags.all }),
    ...(tags.transitive.length > 0 && { transitive: tags.transitive }),
    ...(sourceIdentity !== undefined && { sourceIdentity }),
  };
  const { arn, id } = sessionUser(role, name);
  return {
    SourceIdentity: sourceIdentity,
    AssumedRoleUser: { AssumedRoleId: id, Arn: arn },
    Credentials: credentialsElement(sessions.issue(claims), claims),
    PackedPolicySize: packed,
  };
}
