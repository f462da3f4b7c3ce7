import { afterAll, beforeAll } from 'vitest';
import { type Caller, type Sent, outcome, send } from '../clients/acl-client.ts';
import { type TestGateway, type TestGatewayOptions, startTestGateway } from './gateway.ts';
import type { RawAnswer } from '../clients/raw-http.ts';

interface SharedGateway {
  readonly gateway: TestGateway;
  ask(caller: Caller, sent: Sent): Promise<RawAnswer>;
  /** The answer in one word: its status, or its error. */
  as(caller: Caller, sent: Sent): Promise<string>;
}

/** One gateway for all tests of a file, from before the first to after the last of them. */
export function sharedGateway(options?: TestGatewayOptions): SharedGateway {
  let gateway: TestGateway | undefined;
  beforeAll(async () => {
    gateway = await startTestGateway(options);
  });
  afterAll(() => gateway?.close());
  const started = (): TestGateway => {
    if (gateway === undefined) throw new Error('the gateway is started before the first test');
    return gateway;
  };
  const ask = (caller: Caller, sent: Sent): Promise<RawAnswer> => send(started().port, caller, sent);
  return {
    get gateway() {
      return started();
    },
    ask,
    as: async (caller, sent) => outcome(await ask(caller, sent)),
  };
}
