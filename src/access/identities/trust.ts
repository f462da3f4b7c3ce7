import { escapePattern } from '../policy/pattern.ts';

/** Who may assume a role, in short; ARNs and account numbers filled in. */
interface TrustForm {
  /** ARNs of users, roles and accounts. */
  readonly principals: readonly string[];
  readonly externalId?: string | undefined;
  readonly sessionTags?: boolean | undefined;
  readonly webIdentity: readonly WebIdentityTrust[];
}

interface WebIdentityTrust {
  readonly issuer: string;
  /** ARN of the provider. */
  readonly provider: string;
  /** Absent: whatever the provider takes. */
  readonly audiences?: readonly string[] | undefined;
  /** `*` stands for any characters. */
  readonly subjects: readonly string[];
}

/** The trust policy that the short form stands for, JSON. */
export function expandTrust({ principals, externalId, sessionTags = false, webIdentity }: TrustForm): string {
  const tagging = sessionTags ? ['sts:TagSession'] : [];
  const assume = {
    Effect: 'Allow',
    Principal: { AWS: principals },
    Action: ['sts:AssumeRole', ...tagging],
    ...(externalId !== undefined && { Condition: { StringEquals: { 'sts:ExternalId': externalId } } }),
  };
  const byToken = webIdentity.map(({ issuer, provider, audiences, subjects }) => ({
    Effect: 'Allow',
    Principal: { Federated: provider },
    Action: ['sts:AssumeRoleWithWebIdentity', ...tagging],
    Condition: {
      ...(audiences !== undefined && { StringEquals: { [`${issuerName(issuer)}:aud`]: audiences } }),
      StringLike: {
        [`${issuerName(issuer)}:sub`]: subjects.map((subject) => subject.replaceAll(/[$?]/g, escapePattern)),
      },
    },
  }));
  return JSON.stringify({ Version: '2012-10-17', Statement: [...(principals.length > 0 ? [assume] : []), ...byToken] });
}

/** An issuer as condition keys and ARNs have it: without scheme and final slash. */
export function issuerName(issuer: string): string {
  return issuer.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

export function providerArn(accountNumber: string, issuer: string): string {
  return `arn:aws:iam::${accountNumber}:oidc-provider/${issuerName(issuer)}`;
}
