import type { AccountDirectory, Principal } from '../../access/accounts.ts';
import type { Sender } from '../../access/rates/rate-limits.ts';
import type { Sessions } from '../../access/sessions/sessions.ts';
import type { WebIdentities } from '../../access/web-identity/web-identities.ts';
import type { Call } from '../../observe/call.ts';
import type { XmlElements } from '../../protocol/xml/encode.ts';
import type { StsForm } from '../../protocol/sts/form.ts';

/** Everything an action of STS may use. */
export interface StsContext {
  readonly call: Call;
  readonly principal: Principal;
  readonly accounts: AccountDirectory;
  readonly sessions: Sessions;
  readonly webIdentities: WebIdentities;
  readonly request: StsRequest;
  /**
   * To be called once an action finds out who sends a request that nobody signed. From now on the request counts
   * against the limits of that sender. @throws S3Error SlowDown
   */
  sentBy(sender: Sender): void;
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
export type StsAction = (form: StsForm, context: StsContext) => XmlElements | Promise<XmlElements>;
