import { SignatureDiagnoser } from '../../../src/admin/diagnosis/diagnoser.ts';
import type { Dispatcher } from '../../../src/gateway/dispatcher.ts';
import { AccessLog } from '../../../src/observe/access-log/access-log.ts';
import { RequestJournal } from '../../../src/admin/journal/journal.ts';
import { RequestObservers } from '../../../src/observe/request-observers.ts';
import { requestSpans } from '../../../src/observe/tracing/request-spans.ts';
import type { TestGatewayOptions } from './gateway.ts';
import { SILENT } from '../silent-log.ts';
import { ACCESS_KEY, REGION, SECRET_KEY } from '../clients/sign-raw.ts';

interface Watchers {
  readonly observers: RequestObservers;
  /** For the gateway that is watched. */
  readonly options: Pick<TestGatewayOptions, 'observers' | 'telemetry'>;
  /** To be called as soon as there is one. */
  watch(dispatcher: Dispatcher): void;
}

/**
 * Everything that looks at requests in a gateway as it runs: journal with a listener, signature diagnosis, both access
 * logs, spans of each request.
 */
export function everythingThatWatches(journalBytes: number): Watchers {
  const secret = { secretAccessKey: SECRET_KEY };
  const diagnoser = new SignatureDiagnoser({
    region: REGION,
    maxSkewMs: 900_000,
    baseHosts: ['localhost'],
    ports: [9000],
    credentialFor: (id) => (id === ACCESS_KEY ? secret : undefined),
    credentials: () => [{ ...secret, accessKeyId: ACCESS_KEY }],
  });
  const observers = new RequestObservers(SILENT);
  let watched: Dispatcher | undefined;
  const journal = new RequestJournal({
    maxBytes: journalBytes,
    slowMs: 1000,
    diagnose: (facts) => diagnoser.explain(facts),
    requests: { running: () => watched?.running() ?? [], flush: () => observers.flush() },
  });
  let written = 0;
  const sink = { write: (text: string) => void (written += text.length) };
  for (const observer of [diagnoser, journal, new AccessLog('json', sink), new AccessLog('s3', sink)]) {
    observers.add(observer);
  }
  observers.add({ ended: (facts) => void (written += requestSpans(facts).length) });
  // Somebody watches: requests are packed when they begin, too.
  journal.listen(() => undefined);
  return {
    observers,
    options: { observers, telemetry: { observers, sampler: () => true } },
    watch: (dispatcher) => void (watched = dispatcher),
  };
}
