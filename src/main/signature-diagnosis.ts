import type { Config } from '../../config/schema.ts';
import type { AccountDirectory } from '../access/accounts.ts';
import type { Sessions } from '../access/sessions/sessions.ts';
import { SignatureDiagnoser } from '../admin/diagnosis/diagnoser.ts';
import { DEFAULT_MAX_SKEW_MS } from '../auth/verdict.ts';

/** Explains refused signatures; an observer of requests, too, as it learns the hosts that clients sign for. */
export function signatureDiagnoser(
  { region, baseHosts, listeners }: Config,
  accounts: AccountDirectory,
  sessions: Sessions,
): SignatureDiagnoser {
  return new SignatureDiagnoser({
    region,
    maxSkewMs: DEFAULT_MAX_SKEW_MS,
    baseHosts,
    ports: listeners.map(({ port }) => port).filter((port) => port !== 0),
    credentialFor: accounts.byAccessKey,
    sessionFor: (accessKeyId, token) => sessions.credentialFor(accessKeyId, token),
    credentials: () => accounts.credentials(),
  });
}
