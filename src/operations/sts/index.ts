import { assumeRoleWithWebIdentity } from './assume-role-with-web-identity.ts';
import { assumeRole } from './assume-role.ts';
import type { StsAction } from './action.ts';
import { getCallerIdentity } from './get-caller-identity.ts';
import { getSessionToken } from './get-session-token.ts';

/** The actions of STS that are built. */
export const STS_ACTIONS: ReadonlyMap<string, StsAction> = new Map(
  Object.entries({
    GetCallerIdentity: getCallerIdentity,
    AssumeRole: assumeRole,
    AssumeRoleWithWebIdentity: assumeRoleWithWebIdentity,
    GetSessionToken: getSessionToken,
  }),
);

/** The action that is not signed: its token says who calls. */
export const UNSIGNED_ACTION = 'AssumeRoleWithWebIdentity';
export const STS_VERSION = '2011-06-15';
