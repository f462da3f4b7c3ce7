import type { AuthVerdict, SigningCredential } from '../auth/verdict.ts';
import { S3Error } from '../errors/s3-error.ts';
import type { OperationRow } from '../protocol/operation-table.ts';

/**
 * The error for an operation that the gateway does not have. Anonymous callers get AccessDenied: S3 has these
 * operations, and refuses anonymous requests before it looks at them.
 */
export function notBuilt(row: OperationRow, sender: AuthVerdict<SigningCredential>['kind']): S3Error {
  if (sender === 'anonymous') return new S3Error('AccessDenied');
  return new S3Error('NotImplemented', { message: row.notImplementedHint ?? `${row.name} is not implemented.` });
}
