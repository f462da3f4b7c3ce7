import process from 'node:process';
import { SignatureDiagnoser } from '../../../src/auth/diagnosis/diagnoser.ts';
import { AccessLog } from '../../../src/observe/access-log/access-log.ts';
import { RequestJournal } from '../../../src/observe/journal/journal.ts';
import { RequestObservers } from '../../../src/observe/request-observers.ts';
import { requestSpans } from '../../../src/observe/tracing/request-spans.ts';
import { startTestGateway } from '../gateway.ts';
import { SILENT } from '../silent-log.ts';
import { ACCESS_KEY, REGION, SECRET_KEY } from '../sign-raw.ts';
import type { Answer, Question } from './gateway-process.ts';

/*
 * A gateway over memory with everything that watches requests, in a process of its own: what it uses of the processor is the
 * gateway's and nobody else's. It says so when asked.
 */
const secret = { secretAccessKey: SECRET_KEY };
const diagnoser = new SignatureDiagnoser({
  region: REGION, maxSkewMs: 900_000, baseHosts: ['localhost'], ports: [9000],
  credentialFor: (id) => (id === ACCESS_KEY ? secret : undefined),
  credentials: () => [{ ...secret, accessKeyId: ACCESS_KEY }],
});
const observers = new RequestObservers(SILENT);
const journal = new RequestJournal({
  maxBytes: 8 * 1024 * 1024, slowMs: 1000, diagnose: (facts) => diagnoser.explain(facts),
  requests: { running: () => gateway.dispatcher.running(), flush: () => observers.flush() },
});
let written = 0;
const sink = { write: (text: string) => void (written += text.length) };
observers.add(diagnoser);
observers.add(journal);
observers.add(new AccessLog('json', sink));
observers.add(new AccessLog('s3', sink));
observers.add({ ended: (facts) => void (written += requestSpans(facts).length) });

const gateway = await startTestGateway({ observers, presignedV2: true, telemetry: { observers, sampler: () => true } });
// Somebody watches: requests are packed when they begin, too.
journal.listen(() => undefined);

process.on('message', (question: Question) => {
  observers.flush();
  if (question === 'collect') global.gc?.();
  const { user, system } = process.cpuUsage();
  const { heapUsed, external, rss } = process.memoryUsage();
  send({ cpuMs: (user + system) / 1000, heldBytes: heapUsed + external, rss });
});
process.on('disconnect', () => process.exit(0));
send({ port: gateway.port });

function send(answer: Answer): void {
  process.send?.(answer);
}
