import { isStoreError } from '../../store/store-error.ts';

/** The innermost of what went wrong: a system's code, else the message. */
export function reasonOf(error: unknown): string {
  let innermost: unknown = error;
  for (let depth = 0; depth < 8 && innermost instanceof Error && innermost.cause instanceof Error; depth += 1) {
    innermost = innermost.cause;
  }
  const words =
    innermost instanceof Error ? ((innermost as NodeJS.ErrnoException).code ?? innermost.message) : String(innermost);
  const code = isStoreError(error) ? error.detail.code : undefined;
  return (code ?? words).split('\n')[0] ?? '';
}

const NETWORK: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/ENOTFOUND|EAI_AGAIN/, 'the name does not resolve: check the endpoint, and the DNS zone of a private endpoint'],
  [/ECONNREFUSED/, 'nothing listens there: check endpoint and port'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/,
    'the certificate is not trusted: name its authority as outbound.caFile',
  ],
  [
    /TIMEDOUT|TIMEOUT|timeout|EHOSTUNREACH|ENETUNREACH/,
    'no way there: check network policies, firewalls and outbound.proxy',
  ],
  [/ECONNRESET|EPIPE|other side closed/, 'something in between breaks connections: check proxies and firewalls'],
];

/** What to do when no answer comes. */
export function networkAdvice(error: unknown): string {
  const reason = reasonOf(error);
  return NETWORK.find(([pattern]) => pattern.test(reason))?.[1] ?? 'check endpoint and network';
}

/** What the clouds' own codes for a refusal mean for whoever set the account up. */
const REFUSALS: Readonly<Record<string, string>> = {
  AuthenticationFailed: 'the key or token is not one of this account, or the clock of this machine is wrong',
  InvalidAuthenticationInfo: 'the token is not one for this account: check tenant, client id and scope',
  AuthorizationFailure: 'the storage firewall lets this network not in, or the SAS lacks a permission',
  AuthorizationPermissionMismatch:
    'the identity has no role that allows it: give it Storage Blob Data Contributor at the account',
  AuthorizationResourceTypeMismatch: 'the SAS is not for this type of resource: it takes srt=sco',
  AuthorizationServiceMismatch: 'the SAS is not for blobs: it takes ss=b',
  KeyBasedAuthenticationNotPermitted: 'the account takes no keys: use workload identity, or allow them',
  InsufficientAccountPermissions: 'the SAS lacks a permission: it takes sp=rwdlc',
};

const BY_SERVICE: Readonly<Record<string, string>> = {
  azure: 'give the identity Storage Blob Data Contributor at the account (docs/operations/permissions.md)',
  gcs: 'give the service account Storage Object User and the bucket permissions (docs/operations/permissions.md)',
};

/** What to do when the service refuses. @param service kind of the store */
export function refusalAdvice(service: string, error: unknown): string {
  const code = isStoreError(error) ? error.detail.code : undefined;
  return REFUSALS[code ?? ''] ?? BY_SERVICE[service] ?? 'check the credential and its permissions';
}
