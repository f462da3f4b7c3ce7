import { RequestFacts, type RequestHead } from '../../../src/observe/request-facts.ts';
import { operationRow, type OperationName } from '../../../src/protocol/operation-table.ts';

interface FactsOptions {
  readonly head?: Partial<RequestHead>;
  readonly operation?: OperationName;
  readonly bucket?: string;
  readonly key?: string;
  readonly status?: number;
}

const HEAD: RequestHead = {
  requestId: 'REQUEST000000001',
  hostId: 'host-id',
  trace: {
    traceId: '1'.repeat(32),
    spanId: '2'.repeat(16),
    parentSpanId: undefined,
    sampled: false,
    traceState: undefined,
  },
  arrivedAt: Date.UTC(2019, 1, 6, 0, 0, 38),
  method: 'GET',
  target: '/photos/cat.jpg',
  rawHeaders: ['Host', 'localhost:9000'],
  httpVersion: '1.1',
};

/** Facts of a request that has ended as it should; whatever else a test is about, it sets itself. */
export function endedFacts({ head, operation, bucket, key, status = 200 }: FactsOptions = {}): RequestFacts {
  const facts = new RequestFacts({ ...HEAD, ...head });
  facts.classification = operation && operationRow(operation);
  facts.bucket = bucket;
  facts.key = key;
  facts.clientAddress = '192.0.2.3';
  facts.status = status;
  facts.firstByte = facts.arrived + 7;
  facts.ended = facts.arrived + 70;
  return facts;
}
