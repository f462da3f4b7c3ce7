import { type RequestHead, RequestFacts } from '../../../src/observe/request-facts.ts';

let made = 0;

export interface FactsOptions extends Partial<Omit<RequestFacts, 'head' | 'heads' | 'backend'>> {
  readonly head?: Partial<RequestHead>;
  readonly operation?: string;
  /** Milliseconds it took; absent: it still runs. */
  readonly tookMs?: number;
}

/** Facts of a GetObject of `bucket`/`key` that an account sent, but for what is given. */
export function factsOf({ head, operation = 'GetObject', tookMs = 5, ...more }: FactsOptions = {}): RequestFacts {
  made += 1;
  const id = made.toString(32).toUpperCase().padStart(16, '0');
  const facts = new RequestFacts({
    requestId: id,
    hostId: 'host',
    trace: {
      traceId: id.toLowerCase().padStart(32, '0'),
      spanId: undefined,
      parentSpanId: undefined,
      sampled: false,
      traceState: undefined,
    },
    arrivedAt: 1_800_000_000_000 + made,
    method: 'GET',
    target: '/bucket/key',
    rawHeaders: ['Host', 'localhost'],
    httpVersion: '1.1',
    ...head,
  });
  Object.assign(facts, {
    classification: { name: operation, level: 'object', method: 'GET', match: {}, permission: 's3:GetObject' },
    bucket: 'bucket',
    key: 'key',
    auth: { method: 'header', identity: IDENTITY, failure: undefined, signature: undefined },
    authenticated: facts.arrived,
    firstByte: facts.arrived + tookMs,
    ended: facts.arrived + tookMs,
    status: 200,
    ...more,
  });
  return facts;
}

export const IDENTITY = {
  kind: 'account',
  account: { name: 'main', canonicalId: '1'.repeat(64) },
  accessKeyId: 'MAINMAINMAINMAIN0001',
} as const;
