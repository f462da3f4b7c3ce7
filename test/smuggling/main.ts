import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection } from '../support/clients/raw-http.ts';
import { RequestObservers } from '../../src/observe/request-observers.ts';
import { startTestGateway } from '../support/gateway/gateway.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { SILENT } from '../support/silent-log.ts';
import { tlsMaterial } from '../support/certificates.ts';
import { PROXIES, type Proxy, startProxy } from './proxies.ts';
import { type Ambiguous, ambiguousRequests, BUCKET, get, HOST, pathOf, slug } from './requests.ts';

const QUIET_MS = 60;
const PATIENCE_MS = 400;
/** Whoever asks properly is answered, be it late on a busy machine. */
const VICTIMS_PATIENCE_MS = 5000;
const ROLES = ['first', 'tail', 'probe', 'victim'] as const;
type Role = (typeof ROLES)[number];

/** A request as the gateway saw it. */
interface Seen {
  readonly id: string;
  readonly target: string;
}

/** What came of one case behind one proxy. */
interface Outcome {
  readonly name: string;
  readonly proxy: string;
  readonly forwarded: string;
  readonly seen: string;
  readonly statuses: string;
  readonly faults: readonly string[];
}

/**
 * Ambiguous requests through real proxies, each with a probe behind it on the same connection and a victim on another
 * one. What a proxy says that it forwarded must be what the gateway says that came, and everybody must get the answer
 * to what he asked. With `--tls` the proxies reach the gateway over TLS.
 */
export async function main(): Promise<void> {
  const { values } = parseArgs({ options: { tls: { type: 'boolean', default: false } } });
  const missing = Object.entries(PROXIES).filter(([, kind]) => kind.find() === undefined);
  for (const [name, kind] of missing) {
    process.stderr.write(`test:smuggling needs ${name} (Debian: apt-get install ${kind.package})\n`);
  }
  const names = Object.keys(PROXIES).filter((name) => !missing.some(([lacking]) => lacking === name));
  const outcomes = (await Promise.all(names.map((name) => behind(name, values.tls)))).flat();
  for (const { name, proxy, forwarded, seen, statuses, faults } of outcomes) {
    process.stdout.write(
      `${faults.length === 0 ? 'ok  ' : 'FAIL'} ${proxy.padEnd(8)} proxy ${forwarded.padEnd(18)} gateway ${seen.padEnd(18)} answers ${statuses.padEnd(16)} ${name}${faults.map((fault) => `\n       ${fault}`).join('')}\n`,
    );
  }
  const failed = outcomes.filter(({ faults }) => faults.length > 0).length;
  process.stdout.write(`${outcomes.length} cases behind ${names.join(' and ') || 'no proxy'}: ${failed} failed\n`);
  if (failed > 0 || missing.length > 0) process.exitCode = 1;
}

async function behind(name: string, tls: boolean): Promise<Outcome[]> {
  const seen: Seen[] = [];
  const observers = new RequestObservers(SILENT);
  observers.add({ ended: ({ head }) => void seen.push({ id: head.requestId, target: head.target }) });
  const gateway = await startTestGateway({ observers, ...(tls && { tls: await tlsMaterial() }) });
  try {
    const creating = await RawConnection.open({ port: gateway.port, tls });
    creating.send(signedHead({ method: 'PUT', target: `/${BUCKET}`, host: HOST, headers: { 'content-length': '0' } }));
    const created = await creating.answer('PUT');
    creating.close();
    if (created.status !== 200) throw new Error(`the bucket cannot be made: ${created.status}`);
    const proxy = await startProxy(
      name,
      PROXIES[name] ?? never(),
      new URL(`${tls ? 'https' : 'http'}://127.0.0.1:${gateway.port}`),
    );
    try {
      const outcomes: Outcome[] = [];
      for (const request of ambiguousRequests()) outcomes.push(await tryOut(request, proxy, seen));
      return outcomes;
    } finally {
      await proxy.stop();
    }
  } finally {
    await gateway.close();
  }
}

async function tryOut({ name, bytes }: Ambiguous, proxy: Proxy, seen: readonly Seen[]): Promise<Outcome> {
  const connection = await RawConnection.open(proxy.port);
  connection.send(bytes);
  await untilQuiet(connection, 0);
  const before = connection.pending.length;
  connection.send(get(pathOf(name, 'probe')));
  await untilQuiet(connection, before);
  const other = await RawConnection.open(proxy.port);
  other.send(get(pathOf(name, 'victim')));
  await untilQuiet(other, 0, VICTIMS_PATIENCE_MS);
  const [received, toVictim] = [connection.pending, other.pending];
  connection.close();
  other.close();
  await sleep(QUIET_MS);

  const isOfCase = ({ target }: { target: string }): boolean => target.includes(`/${slug(name)}--`);
  const logged = proxy.logged().filter(isOfCase);
  const came = seen.filter(isOfCase);
  const roleOf = (id: string): Role | undefined => roleIn(came.find((one) => one.id === id)?.target ?? '');
  const faults: string[] = [];
  for (const role of ROLES) {
    const ofRole = logged.filter(({ target, forwarded }) => forwarded && roleIn(target) === role);
    const atGateway = came.filter(({ target }) => roleIn(target) === role).length;
    // Its parser, or the proxy on what came of it, refused what it saw no request in.
    const surely = ofRole.filter(({ status }) => (status >= 200 && status < 400) || status === 404).length;
    if (atGateway > ofRole.length) faults.push(`the gateway saw ${atGateway} of ${role}, the proxy ${ofRole.length}`);
    if (atGateway < surely) faults.push(`the proxy had ${surely} of ${role} answered, the gateway saw ${atGateway}`);
  }
  const probeLogged = logged.some(({ target, forwarded }) => forwarded && roleIn(target) === 'probe');
  // On a busy machine what was asked before is answered after the probe was sent, but before the probe.
  const answered = idsIn(received).map(roleOf);
  const ranks = answered.filter((role) => role !== undefined).map((role) => ROLES.indexOf(role));
  const probeAnswered = idsIn(received.slice(before)).length > 0;
  if (
    ranks.some((rank, index) => rank < (ranks[index - 1] ?? 0)) ||
    (probeLogged && probeAnswered && answered.at(-1) !== 'probe')
  ) {
    faults.push(`the probe was answered with what ${answered.join(', ')} asked for`);
  }
  const ofVictim = idsIn(toVictim).map(roleOf);
  if (ofVictim.length !== 1 || ofVictim[0] !== 'victim') {
    faults.push(`the victim was answered with ${ofVictim.join(', ') || statusesIn(toVictim) || 'nothing'}`);
  }
  const shown = (targets: readonly { target: string }[]): string =>
    targets
      .map(({ target }) => roleIn(target) ?? '?')
      .filter((role) => role !== 'victim')
      .join(' ') || '-';
  return {
    name,
    proxy: proxy.name,
    forwarded: shown(logged.filter(({ forwarded }) => forwarded)),
    seen: shown(came),
    statuses: statusesIn(received) || '-',
    faults,
  };
}

function roleIn(target: string): Role | undefined {
  return ROLES.find((role) => target.includes(`--${role}`));
}

function idsIn(answers: string): string[] {
  return [...answers.matchAll(/^x-amz-request-id: (\S+)\r$/gim)].map(([, id = '']) => id);
}

function statusesIn(answers: string): string {
  return [...answers.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => status).join(' ');
}

/** Something more has come than so much, and then nothing for a while; or the end, or nothing in time. */
async function untilQuiet(connection: RawConnection, already: number, patienceMs = PATIENCE_MS): Promise<void> {
  const until = Date.now() + patienceMs;
  let [length, since] = [already, Date.now()];
  while (!connection.ended && Date.now() < until) {
    await sleep(10);
    if (connection.pending.length !== length) [length, since] = [connection.pending.length, Date.now()];
    else if (length > already && Date.now() - since > QUIET_MS) return;
  }
}

function never(): never {
  throw new Error('no such proxy');
}
