import type { TLSSocket } from 'node:tls';
import type { AccountDirectory } from '../access/accounts.ts';
import { PolicyWork } from '../access/policy/work.ts';
import type { AskedRequest } from '../access/request-keys.ts';
import type { OperationRow } from '../protocol/operation-table.ts';
import type { S3Request } from '../protocol/request.ts';
import type { Exchange } from './exchange.ts';

/** What a request says that policies may ask for. */
export function askedRequest(
  exchange: Exchange,
  { row, request }: { readonly row: OperationRow; readonly request: S3Request },
  { settings, accounts }: { readonly settings: { readonly region: string }; readonly accounts: AccountDirectory },
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
    get tlsVersion() {
      return tlsVersion(exchange.request.socket as Partial<TLSSocket>);
    },
    region: settings.region,
    accountNumberOf: (canonicalId) => accounts.byCanonicalId(canonicalId)?.accountNumber,
    now: facts.head.arrivedAt,
    work: new PolicyWork(),
  };
}

/** Of the connection that ends here; what a proxy spoke with its client, nobody knows. */
function tlsVersion(socket: Partial<TLSSocket>): string | undefined {
  return socket.getProtocol?.()?.replace(/^TLSv/, '');
}
