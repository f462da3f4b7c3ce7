import { S3Error } from '../errors/s3-error.ts';
import { queryValue } from './canonical-query.ts';
import type { SignableRequest } from './raw-request.ts';
import type { AuthOptions, SigningCredential } from './verdict.ts';

export const TOKEN_HEADER = 'x-amz-security-token';
const PARAMETER = 'X-Amz-Security-Token';

/**
 * The session token of a request signed in its query: a parameter, as SDKs have it, or a header, which must be signed
 * then.
 * @throws S3Error InvalidToken when there are two of them
 */
export function presignedToken({ headers, query }: SignableRequest): string | undefined {
  const given = [queryValue(query, PARAMETER), queryValue(query, TOKEN_HEADER), headers.get(TOKEN_HEADER)].filter(
    (token) => token !== undefined,
  );
  if (new Set(given).size > 1) throw new S3Error('InvalidToken');
  return given[0];
}

/**
 * Whose key this is. One that came with temporary credentials is nobody's without its token, and a token belongs to no
 * other key. Tokens are not echoed (AWS does, as `Token-0`): a misdirected one is a secret of another service.
 * @throws S3Error InvalidToken, ExpiredToken
 */
export function credentialOf<C extends SigningCredential>(
  accessKeyId: string,
  token: string | undefined,
  options: Pick<AuthOptions<C>, 'credentialFor' | 'sessionFor'>,
): C | undefined {
  const { credentialFor, sessionFor } = options;
  const lasting = credentialFor(accessKeyId);
  if (token === undefined) return lasting;
  if (lasting !== undefined) throw new S3Error('InvalidToken');
  return sessionFor?.(accessKeyId, token);
}
