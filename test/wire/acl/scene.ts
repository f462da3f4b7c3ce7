import { beforeEach, expect } from 'vitest';
import type { Caller, Sent } from '../../support/clients/acl-client.ts';
import { CANONICAL_ID, OTHER_CANONICAL_ID } from '../../support/gateway/gateway.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';

export const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';
const ANONYMOUS = '65a011a29cdf8ec533ec3d1ccaae921c';

let shared: ReturnType<typeof sharedGateway>;
let made = 0;
/** Of the test that runs: with one object, `key`. */
export let bucket: string;

/** To be called once by each file of tests: a gateway for all of them, and a bucket for each. */
export function openScene(): void {
  shared = sharedGateway();

  beforeEach(async () => {
    bucket = `acl-${++made}`;
    expect(await as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/key`, body: 'bytes' })).toBe('200');
  });
}

export function ask(caller: Caller, sent: Sent): Promise<RawAnswer> {
  return shared.ask(caller, sent);
}

/** The answer in one word: its status, or its error. */
export function as(caller: Caller, sent: Sent): Promise<string> {
  return shared.as(caller, sent);
}

/** Grants as `permission grantee`, in the order of the answer. */
export async function grants(target: string, caller: Caller = 'owner'): Promise<string[]> {
  const { status, body } = await ask(caller, { method: 'GET', target: `${target}?acl` });
  expect(status, body).toBe(200);
  return [...body.matchAll(/<Grant>.*?<\/Grant>/g)].map(([grant]) => {
    const who = /<(?:ID|URI)>([^<]*)</.exec(grant)?.[1] ?? '';
    return `${/<Permission>(\w+)</.exec(grant)?.[1] ?? ''} ${NAMES[who] ?? who}`;
  });
}

const NAMES: Readonly<Record<string, string>> = {
  [CANONICAL_ID]: 'owner',
  [OTHER_CANONICAL_ID]: 'other',
  [ANONYMOUS]: 'anonymous',
  [ALL_USERS]: 'all',
  'http://acs.amazonaws.com/groups/global/AuthenticatedUsers': 'authenticated',
  'http://acs.amazonaws.com/groups/s3/LogDelivery': 'logs',
};

export function policy(list: string, owner = `<Owner><ID>${CANONICAL_ID}</ID></Owner>`): string {
  return `<AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${owner}<AccessControlList>${list}</AccessControlList></AccessControlPolicy>`;
}

export function grant(type: string, child: string, permission = 'READ'): string {
  return `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="${type}">${child}</Grantee><Permission>${permission}</Permission></Grant>`;
}

export const OTHER_READS = grant('CanonicalUser', `<ID>${OTHER_CANONICAL_ID}</ID><DisplayName>ignored</DisplayName>`);
