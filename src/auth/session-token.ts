import { S3Error } from '../errors/s3-error.ts';

/**
 * This service issues no temporary credentials, so no token can be right. The token is not echoed
 * (AWS does, as `Token-0`): a misdirected one is a secret of another service.
 * @throws S3Error InvalidToken when one is given
 */
export function refuseSessionToken(token: string | undefined): void {
  if (token !== undefined) {
    throw new S3Error('InvalidToken');
  }
}
