import type { AccountDirectory, Principal } from '../../access/accounts.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import type { WebIdentities } from '../../access/web-identity/web-identities.ts';
import type { Call } from '../../observe/call.ts';
import type { StsResult } from '../../protocol/sts/document.ts';
import type { StsForm } from '../../protocol/sts/form.ts';

/** Everything an action of STS may use. */
export interface StsContext {
  readonly call: Call;
  readonly principal: Principal;
  readonly accounts: AccountDirectory;
  readonly sessions: Sessions;
  readonly webIdentities: WebIdentities;
  readonly request: StsRequest;
}

/** The request, besides its form. */
interface StsRequest {
  readonly clientAddress: string | undefined;
  readonly scheme: string;
  readonly userAgent: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** One action: the form in, the elements of the result out. @throws StsError */
export type StsAction = (form: StsForm, context: StsContext) => StsResult | Promise<StsResult>;
