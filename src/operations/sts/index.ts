import { assumeRoleWithWebIdentity } from './assume-role-with-web-identity.ts';
import { assumeRole } from './assume-role.ts';
import type { StsAction } from './action.ts';
import { getCallerIdentity, getSessionToken } from './own-identity.ts';

const OF_ROLES = ['RoleArn', 'RoleSessionName', 'DurationSeconds', 'Policy', 'PolicyArns.member.#.arn'];

/** The action, for forms that say nothing else than what it takes. */
function taking(parameters: readonly string[], action: StsAction): StsAction {
  const known = new Set(parameters);
  return (form, context) => {
    form.requireKnown(known);
    return action(form, context);
  };
}

/** The actions of STS that are built. */
export const STS_ACTIONS: ReadonlyMap<string, StsAction> = new Map(
  Object.entries({
    GetCallerIdentity: taking([], getCallerIdentity),
    AssumeRole: taking(
      [
        ...OF_ROLES,
        'Tags.member.#.Key',
        'Tags.member.#.Value',
        'TransitiveTagKeys.member.#',
        'ExternalId',
        'SerialNumber',
        'TokenCode',
        'SourceIdentity',
      ],
      assumeRole,
    ),
    // The access token beside the identity token is an addition of MinIO's clients. It narrows nothing.
    AssumeRoleWithWebIdentity: taking(
      [...OF_ROLES, 'WebIdentityToken', 'WebIdentityAccessToken', 'WebIdentityRefreshToken'],
      assumeRoleWithWebIdentity,
    ),
    GetSessionToken: taking(['DurationSeconds', 'SerialNumber', 'TokenCode'], getSessionToken),
  }),
);

/** The action that is not signed: its token says who calls. */
export const UNSIGNED_ACTION = 'AssumeRoleWithWebIdentity';
export const STS_VERSION = '2011-06-15';
