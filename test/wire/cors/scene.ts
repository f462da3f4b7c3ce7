import { beforeEach, expect } from 'vitest';
import { type Caller, type Sent, outcome } from '../../support/clients/acl-client.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';

import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

let shared: ReturnType<typeof sharedGateway>;
let made = 0;
/** Of the test that runs. */
export let bucket: string;
export const PAGE = 'https://www.example.com';
export const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

/** To be called once by each file of tests: a gateway for all of them, and a bucket for each. */
export function openScene(): void {
  shared = sharedGateway();

  beforeEach(async () => {
    bucket = `cors-${++made}`;
    expect(await as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
  });
}

/** Whatever it is. */
export function ask(caller: Caller, sent: Sent): Promise<RawAnswer> {
  return shared.ask(caller, sent);
}

/** The answer in one word: its status, or its error. */
export function as(caller: Caller, sent: Sent): Promise<string> {
  return shared.as(caller, sent);
}

export function document(...rules: string[]): string {
  return `<CORSConfiguration>${rules.map((rule) => `<CORSRule>${rule}</CORSRule>`).join('')}</CORSConfiguration>`;
}

export const allowing = (methods: string, origin: string, more = ''): string =>
  `${methods
    .split(' ')
    .map((method) => `<AllowedMethod>${method}</AllowedMethod>`)
    .join('')}<AllowedOrigin>${origin}</AllowedOrigin>${more}`;

export function put(body: string): Promise<string> {
  return as('owner', { method: 'PUT', target: `/${bucket}?cors`, body });
}

export async function get(): Promise<string> {
  const answer = await ask('owner', { method: 'GET', target: `/${bucket}?cors` });
  if (answer.status !== 200) return outcome(answer);
  return answer.body
    .replace('<?xml version="1.0" encoding="UTF-8"?>\n', '')
    .replace(' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"', '');
}

/** Sets rules and waits until no request goes by older ones. */
export async function allow(...rules: string[]): Promise<void> {
  expect(await put(document(...rules))).toBe('200');
  await new Promise((done) => setTimeout(done, 30));
}

/** What an answer tells browsers: names without `access-control-`. */
export function told({ headers }: RawAnswer): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary');
  return Object.fromEntries(entries.map(([name, value]) => [name.replace('access-control-', ''), value]));
}

export function preflight(
  target: string,
  headers: Readonly<Record<string, string>>,
  host = 'localhost',
): Promise<RawAnswer> {
  return ask('anonymous', { method: 'OPTIONS', target, headers: { host, ...headers } });
}

export const asking = (method: string, origin = PAGE): Record<string, string> => ({
  origin: origin,
  'access-control-request-method': method,
});
