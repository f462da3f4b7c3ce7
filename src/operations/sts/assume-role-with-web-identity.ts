import { requireSessions } from './session-parameters.ts';
import { lookupName } from '../../access/policy/context.ts';
import { issuerName } from '../../access/identities/trust.ts';
import { assumptionKeys, mayAssume } from '../../access/sessions/assume.ts';
import type { WebIdentity } from '../../access/web-identity/web-identities.ts';
import { StsError } from '../../errors/sts-error.ts';
import { ARN, required, seconds, SESSION_NAME, WEB_IDENTITY_TOKEN } from '../../protocol/sts/constraints.ts';
import type { StsAction, StsContext } from './action.ts';
import { grantSession } from './grant-session.ts';
import { type SessionTags, tokenTags } from './session-tags.ts';

const HOUR = 3600;
const ROLE_ARN = /^arn:aws:iam::(\d{12}):role\//;

/**
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html: the request is not signed,
 * its token says who calls.
 */
export const assumeRoleWithWebIdentity: StsAction = async (form, context) => {
  const {
    accounts,
    sessions,
    webIdentities,
    request: { now },
  } = context;
  const arn = required(form, 'RoleArn', ARN);
  const name = required(form, 'RoleSessionName', SESSION_NAME);
  const token = required(form, 'WebIdentityToken', WEB_IDENTITY_TOKEN);
  const lasts = seconds(form, 'DurationSeconds', { min: 900, max: 12 * HOUR, fallback: HOUR });
  requireSessions(sessions);
  const accountNumber = ROLE_ARN.exec(arn)?.[1];
  if (accountNumber === undefined) throw notAuthorized();
  const identity = await webIdentities.verify(token, { accountNumber, accounts, now });
  const role = accounts.role(arn);
  const { provider, subject, audiences } = identity;
  const tags = tokenTags(identity.claims);
  const said = conditionsOf(identity, { name, tags, request: context.request });
  const unusable = unusableKeys(issuerName(provider.issuer), identity.claims);
  const keys = assumptionKeys(said, { asked: tags.asked, role: role?.tags, unusable });
  const caller = { arns: [], isRoot: false, provider: provider.arn };
  const actions = ['sts:AssumeRoleWithWebIdentity' as const, ...(hasAny(tags) ? ['sts:TagSession' as const] : [])];
  if (role === undefined || !actions.every((action) => mayAssume({ role, action, caller, keys }))) {
    throw notAuthorized();
  }
  // The limits of a role hold for all its sessions, and for those who ask for one.
  context.sentBy({ kind: 'account', account: role.account, session: { role } });
  const granted = grantSession(form, { context, role, name, lasts, tags, provider: provider.arn });
  return { SubjectFromWebIdentityToken: subject, Audience: audiences[0], Provider: provider.arn, ...granted };
};

function hasAny({ all }: SessionTags): boolean {
  return Object.keys(all).length > 0;
}

interface SaidBesides {
  readonly name: string;
  readonly tags: SessionTags;
  readonly request: StsContext['request'];
}

/**
 * Condition keys made of the token's claims, named after the issuer as on AWS. AWS offers some claims only, the gateway
 * all that are text.
 */
function conditionsOf(
  { provider, claims, audiences }: WebIdentity,
  { name, tags: { transitive }, request }: SaidBesides,
): Record<string, string | readonly string[]> {
  const { clientAddress, scheme, userAgent, now } = request;
  const issuer = issuerName(provider.issuer);
  return {
    ...claimKeys(issuer, claims),
    [lookupName(`${issuer}:aud`)]: audiences,
    'sts:rolesessionname': name,
    ...(transitive.length > 0 && { 'sts:transitivetagkeys': transitive }),
    'aws:federatedprovider': provider.arn,
    'aws:securetransport': String(scheme === 'https'),
    'aws:currenttime': new Date(now).toISOString(),
    'aws:epochtime': String(Math.floor(now / 1000)),
    ...(clientAddress !== undefined && { 'aws:sourceip': clientAddress }),
    ...(userAgent !== undefined && { 'aws:useragent': userAgent }),
  };
}

/**
 * Names of condition keys ignore case, names of claims do not. A token with a claim `SUB` must not pass for another
 * subject by it. So a claim in lower case has its key for itself; other claims that differ only in case become the
 * values of one key.
 */
function claimKeys(issuer: string, claims: WebIdentity['claims']): Record<string, string | readonly string[]> {
  const values: Record<string, string | readonly string[]> = {};
  for (const [claim, value] of Object.entries(claims)) {
    const text = isHeeded(claim, claims) ? claimText(value) : undefined;
    if (text === undefined) continue;
    const key = lookupName(`${issuer}:${claim}`);
    values[key] = Object.hasOwn(values, key) ? [values[key] ?? [], text].flat() : text;
  }
  return values;
}

/** Keys of claims that are neither text nor a list of texts: that is not the same as no such claim. */
function unusableKeys(issuer: string, claims: WebIdentity['claims']): ReadonlySet<string> {
  const unusable = Object.entries(claims).filter(
    ([claim, value]) => isHeeded(claim, claims) && claimText(value) === undefined,
  );
  return new Set(unusable.map(([claim]) => lookupName(`${issuer}:${claim}`)));
}

function isHeeded(claim: string, claims: WebIdentity['claims']): boolean {
  const lower = claim.toLowerCase();
  return claim === lower || !Object.hasOwn(claims, lower);
}

function claimText(value: unknown): string | readonly string[] | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return String(value);
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

function notAuthorized(): StsError {
  return new StsError('AccessDenied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity');
}
