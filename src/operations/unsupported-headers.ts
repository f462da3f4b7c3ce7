import { S3Error } from '../errors/s3-error.ts';
import { refusedHeaders } from '../protocol/operation-parameters.ts';
import type { OperationName } from '../protocol/operation-table.ts';
import type { HeaderReader } from '../protocol/request.ts';

/**
 * Refuses headers that ask for something that the gateway does not do: to ignore them would be a false answer. The list
 * is in `operation-parameters.ts`. @throws S3Error NotImplemented
 */
export function refuseParameters(headers: HeaderReader, operation: OperationName): void {
  const name = refusedHeaders(operation).find((one) => headers.get(one) !== undefined);
  if (name === undefined) return;
  throw new S3Error('NotImplemented', {
    extra: { Header: name, additionalMessage: `${name} is not implemented` },
  });
}
