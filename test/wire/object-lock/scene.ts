import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import { type Caller, type Sent, contentMd5, outcome, send } from '../../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';

export type Headers = Readonly<Record<string, string>>;

export const MODE = 'x-amz-object-lock-mode';
export const UNTIL = 'x-amz-object-lock-retain-until-date';
export const HOLD = 'x-amz-object-lock-legal-hold';
export const BYPASS = 'x-amz-bypass-governance-retention';
export const SOON = '2090-01-01T00:00:00.000Z';
export const PAST = '2020-01-01T00:00:00.000Z';
/** Longer than any test takes; who wants to be behind it sets the clock (`whileClockSays`). */
export const DRAIN_MS = 600_000;
export const GOVERNED = { [MODE]: 'GOVERNANCE', [UNTIL]: SOON };

let gateway: TestGateway;
let made = 0;
/** Of the test that runs. */
export let bucket: string;

/** To be called once by each file of tests: a gateway for all of them, and a bucket with object lock for each. */
export function openScene(): void {
  beforeAll(async () => {
    gateway = await startTestGateway({ versioningDrainMs: DRAIN_MS });
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    bucket = `lock-${++made}`;
    await owner({ method: 'PUT', target: `/${bucket}`, headers: { 'x-amz-bucket-object-lock-enabled': 'true' } }, 200);
  });
}

/** Does something while the clock of the machine, and so everybody's, says another time: milliseconds since 1970. */
export async function whileClockSays(now: number, work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}

/** From here on the test is about another bucket, one without object lock. */
export async function bucketWithoutLock(): Promise<void> {
  bucket = `${bucket}-without`;
  await owner({ method: 'PUT', target: `/${bucket}` }, 200);
}

/** Fails where the answer has another status. */
export async function owner(sent: Sent, status: number): Promise<RawAnswer> {
  const answer = await send(gateway.port, 'owner', sent);
  expect(answer.status, answer.body).toBe(status);
  return answer;
}

/** Whatever it is. */
export function answerTo(sent: Sent, caller: Caller = 'owner'): Promise<RawAnswer> {
  return send(gateway.port, caller, sent);
}

/** Status and code of the error. */
export async function as(caller: Caller, sent: Sent): Promise<string> {
  return outcome(await answerTo(sent, caller));
}

/** @returns version id */
export async function put(headers: Headers = {}, key = 'k'): Promise<string> {
  // A lock asks for a digest of the body.
  const all = { 'content-md5': contentMd5('text'), ...headers };
  const answer = await owner({ method: 'PUT', target: `/${bucket}/${key}`, headers: all, body: 'text' }, 200);
  return answer.headers['x-amz-version-id'] ?? '';
}

const named = (versionId = ''): string => (versionId === '' ? '' : `&versionId=${versionId}`);

export function putDocument(
  what: 'retention' | 'legal-hold',
  body: string,
  on: { versionId?: string; headers?: Headers; caller?: Caller } = {},
): Promise<string> {
  const headers = { 'content-md5': contentMd5(body), ...on.headers };
  return as(on.caller ?? 'owner', {
    method: 'PUT',
    target: `/${bucket}/k?${what}${named(on.versionId)}`,
    headers,
    body,
  });
}

export const retention = (mode: string, until: string): string =>
  `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`;
export const legalHold = (status: string): string => `<LegalHold><Status>${status}</Status></LegalHold>`;

/** Mode and date, status, or the error. */
export async function read(
  what: 'retention' | 'legal-hold',
  versionId = '',
  caller: Caller = 'owner',
): Promise<string> {
  const answer = await answerTo({ method: 'GET', target: `/${bucket}/k?${what}${named(versionId)}` }, caller);
  return answer.status === 200
    ? [...answer.body.matchAll(/>([^<>\n]+)</g)].map(([, text]) => text).join(' ')
    : outcome(answer);
}

export function remove(versionId: string, headers: Headers = {}, caller: Caller = 'owner'): Promise<string> {
  return as(caller, { method: 'DELETE', target: `/${bucket}/k?versionId=${versionId}`, headers });
}

/** Mode, date and hold, of which GET and HEAD say the same. */
export async function lockOf(target: string, caller: Caller = 'owner'): Promise<(string | undefined)[]> {
  const get = await answerTo({ method: 'GET', target }, caller);
  const head = await answerTo({ method: 'HEAD', target }, caller);
  const shown = [get, head].map(({ headers }) => [headers[MODE], headers[UNTIL], headers[HOLD]]);
  expect(shown[0]).toEqual(shown[1]);
  return shown[0] ?? [];
}

/** @param rule mode and period */
export async function setDefault(rule: string): Promise<void> {
  const content = `<ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>${rule}</DefaultRetention></Rule>`;
  await owner(
    {
      method: 'PUT',
      target: `/${bucket}?object-lock`,
      body: `<ObjectLockConfiguration>${content}</ObjectLockConfiguration>`,
    },
    200,
  );
}
