import { beforeEach, expect } from 'vitest';
import type { Caller, Sent } from '../../support/clients/acl-client.ts';
import { type Fields, type FormParts, exactly, formRequest, signedV4 } from '../../support/clients/post-form.ts';
import { type RawAnswer, roundTrip } from '../../support/clients/raw-http.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import { testCall } from '../../support/test-call.ts';

let shared: ReturnType<typeof sharedGateway>;
let made = 0;
let before: ReadonlySet<string>;
/** Of the test that runs. */
export let bucket: string;

/** To be called once by each file of tests: a gateway for all of them, and a bucket for each. */
export function openScene(): void {
  shared = sharedGateway({ presignedV2: true });

  beforeEach(async () => {
    bucket = `form-${++made}`;
    expect(await shared.as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
    before = new Set(await staged());
  });
}

/** Of the gateway. */
export const port = (): number => shared.gateway.port;

/** Any request that is no form. */
export function ask(caller: Caller, sent: Sent): Promise<RawAnswer> {
  return shared.ask(caller, sent);
}

export function post(parts: FormParts, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
  return roundTrip(port(), formRequest(bucket, parts, headers), 'POST');
}

/** A form that its owner signed, just for these fields. */
export function signed(
  fields: Fields,
  file: string | Buffer = 'bytes',
  conditions: readonly unknown[] = exactly(fields, bucket),
): Promise<RawAnswer> {
  return post({ fields: signedV4(fields, conditions), file });
}

export function get(key: string, caller: Caller = 'owner', query = ''): Promise<RawAnswer> {
  return ask(caller, { method: 'GET', target: `/${bucket}/${key}${query}` });
}

export async function keys(): Promise<string[]> {
  const { body } = await ask('owner', { method: 'GET', target: `/${bucket}?versions` });
  return Array.from(body.matchAll(/<Key>([^<]*)<\/Key>/g), ([, key]) => key ?? '');
}

export async function expectNothing(): Promise<void> {
  expect(await keys()).toEqual([]);
  expect((await staged()).filter((name) => !before.has(name))).toEqual([]);
}

/** What lies in the system container for objects. */
async function staged(): Promise<string[]> {
  const names: string[] = [];
  const page = await shared.gateway.store.list('system', { limit: 1000 }, testCall());
  for (const entry of page.entries) if (!entry.name.startsWith('b/')) names.push(entry.name);
  return names;
}
