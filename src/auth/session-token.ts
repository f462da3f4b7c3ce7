import { S3Error } from '../errors/s3-error.ts';
import { queryValue } from './canonical-query.ts';
import type { SignableRequest } from './raw-request.ts';
import type { AuthOptions, SigningCredential } from './verdict.ts';

export const TOKEN_HEADER = 'x-amz-security-token';
const PARAMETER = 'X-Amz-Security-Token';

/**
 * The session token of a request that is signed in its query. SDKs send it as a parameter; a client may also send it as
 * a header, which must be signed.
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
 * Finds the owner of an access key. A key of temporary credentials is valid with its session token only, and a token
 * with its own key only. Errors do not echo the token (AWS echoes it as `Token-0`): one that was sent to the wrong
 * place is a secret of another service.
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
