import type { TLSSocket } from 'node:tls';
import { PolicyWork } from '../access/policy/work.ts';
import type { AskedRequest } from '../access/request-keys.ts';
import type { OperationRow } from '../protocol/operation-table.ts';
import type { S3Request } from '../protocol/request.ts';
import type { Exchange } from './exchange.ts';

/**
 * Collects what a request says and what the conditions of policies can ask for: operation, headers, query, client
 * address, time.
 */
export function askedRequest(
  exchange: Exchange,
  { row, request }: { readonly row: OperationRow; readonly request: S3Request },
  {
    settings,
    accountNumberOf,
  }: Pick<AskedRequest, 'accountNumberOf'> & { readonly settings: { readonly region: string } },
): AskedRequest {
  const { facts } = exchange;
  return {
    operation: row.name,
    bucket: request.address.bucket,
    key: request.address.key,
    headers: request.headers,
    query: request.query,
    authMethod: request.authMethod,
    clientAddress: facts.clientAddress,
    scheme: facts.scheme,
    // Not a getter: those make the object a slow one.
    tlsVersion: tlsVersion(exchange.request.socket as Partial<TLSSocket>),
    region: settings.region,
    accountNumberOf,
    now: facts.head.arrivedAt,
    work: new PolicyWork(),
  };
}

/**
 * The TLS version of the connection that ends at this process. What a proxy in front spoke with its client is not known
 * here.
 */
function tlsVersion(socket: Partial<TLSSocket>): string | undefined {
  return socket.getProtocol?.()?.replace(/^TLSv/, '');
}
