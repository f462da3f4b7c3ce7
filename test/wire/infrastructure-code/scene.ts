import { beforeEach, expect } from 'vitest';
import { type Caller, type Sent, outcome } from '../../support/clients/acl-client.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

let shared: ReturnType<typeof sharedGateway>;
let made = 0;
/** Of the test that runs. */
export let bucket: string;

/**
 * To be called once by each file of tests: a gateway for all of them, and a bucket for each.
 * @param headers of the CreateBucket
 */
export function openScene(headers: Readonly<Record<string, string>> = {}): typeof shared {
  shared = sharedGateway();
  made = 0;

  beforeEach(async () => {
    bucket = `infra-${++made}`;
    expect(await outcomeOf({ method: 'PUT', target: `/${bucket}`, headers })).toBe('200');
  });
  return shared;
}

/** From here on the test is about another bucket. */
export function turnTo(name: string): void {
  bucket = name;
}

export function ask(caller: Caller, sent: Sent): Promise<RawAnswer> {
  return shared.ask(caller, sent);
}

/** The answer in one word: its status, or its error. */
export function outcomeOf(sent: Sent, caller: Caller = 'owner'): Promise<string> {
  return shared.as(caller, sent);
}

export function put(setting: string, body: string): Promise<string> {
  return outcomeOf({ method: 'PUT', target: `/${bucket}?${setting}`, body });
}

/** The document without prolog and namespace, or the error. */
export async function get(setting: string): Promise<string> {
  return documentOf(await ask('owner', { method: 'GET', target: `/${bucket}?${setting}` }));
}

export function documentOf(answer: RawAnswer): string {
  return answer.status === 200
    ? answer.body.replace('<?xml version="1.0" encoding="UTF-8"?>\n', '').replace(/ xmlns="[^"]*"/, '')
    : outcome(answer);
}
