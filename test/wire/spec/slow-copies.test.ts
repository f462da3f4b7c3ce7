import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, withFaults } from '../../../adapters/doubles/faults.ts';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import type { PortMethod } from '../../../src/store/wrap-store.ts';
import { StoreError, type StoreErrorKind } from '../../../src/store/store-error.ts';
import { rule } from './rule.ts';
import { type Answer, World, element } from './world.ts';

/** What is not slow takes less than this also on a busy machine. */
const INTERVAL_MS = 200;
const SLOW_MS = 3.5 * INTERVAL_MS;

let world: World;
let fault: Partial<Record<PortMethod, Fault>> = {};
let bucket: string;
let target: string;

beforeAll(async () => {
  world = await World.open(
    { longAnswerMs: INTERVAL_MS },
    withFaults(new MemoryBlobStore(), ({ method }) => fault[method]),
  );
});
afterAll(() => world.close());

beforeEach(async () => {
  fault = {};
  bucket = await world.bucket();
  target = `/${bucket}/target`;
  await world.put(`/${bucket}/source`, 'source');
  await world.put(target, 'before');
});

interface Slow {
  /** The call to the backend that takes long. */
  readonly method: PortMethod;
  readonly root: string;
  /** All that comes before the request that is slow. */
  readonly prepare: () => Promise<() => Promise<Answer>>;
}

const OPERATIONS: Readonly<Record<'CopyObject' | 'UploadPartCopy' | 'CompleteMultipartUpload', Slow>> = {
  CopyObject: {
    method: 'copy',
    root: 'CopyObjectResult',
    prepare: async () => () => world.copy(target, `/${bucket}/source`),
  },
  UploadPartCopy: {
    method: 'stagePartFrom',
    root: 'CopyPartResult',
    prepare: async () => {
      const upload = await world.upload(target);
      return () => world.copyPart(upload, `/${bucket}/source`);
    },
  },
  CompleteMultipartUpload: {
    method: 'assemble',
    root: 'CompleteMultipartUploadResult',
    prepare: async () => {
      const upload = await world.upload(target);
      const { headers } = await world.must('PUT', `${upload}&partNumber=1`, { body: 'part' });
      return () => world.complete(upload, [headers['etag'] ?? '']);
    },
  },
};

/** The call takes long, and then fails if there is something to fail with. */
function slow(method: PortMethod, kind?: StoreErrorKind): void {
  const before = async (): Promise<void> => {
    await sleep(SLOW_MS);
    if (kind !== undefined) throw new StoreError(kind, { call: method });
  };
  fault = { [method]: { kind: 'interleave', before } };
}

const PROLOG = '<\\?xml version="1.0" encoding="UTF-8"\\?>\\n';

describe.each([
  [
    rule(['copy.keep-alive', 'copy.chunked', 'copy.error.late', 'copy.error.early', 'copy.atomic'], 'CopyObject'),
    OPERATIONS.CopyObject,
  ],
  [rule('part-copy.slow', 'UploadPartCopy'), OPERATIONS.UploadPartCopy],
  [rule('copy.keep-alive', 'CompleteMultipartUpload'), OPERATIONS.CompleteMultipartUpload],
])('%s', (_title, { method, root, prepare }) => {
  test('in time: in chunks, nothing between prolog and root', async () => {
    const answer = await (await prepare())();
    expect([answer.status, answer.headers['transfer-encoding'], answer.headers['content-length']]).toEqual([
      200,
      'chunked',
      undefined,
    ]);
    expect(answer.body).toMatch(new RegExp(`^${PROLOG}<${root} xmlns="[^"]*">.*</${root}>$`));
  });

  test('slow: 200, prolog, white space, result', async () => {
    const ask = await prepare();
    slow(method);
    const answer = await ask();
    expect([
      answer.status,
      answer.headers['transfer-encoding'],
      answer.headers['x-amz-server-side-encryption'],
    ]).toEqual([200, 'chunked', 'AES256']);
    expect(answer.headers['content-type']).toBe('application/xml');
    expect(answer.body).toMatch(new RegExp(`^${PROLOG} +<${root} xmlns="[^"]*">.*</${root}>$`));
  });

  test('slow, then an error: in the body, and nothing has changed', async () => {
    const ask = await prepare();
    slow(method, 'throttled');
    const answer = await ask();
    expect([answer.outcome, answer.headers['transfer-encoding']]).toEqual(['200 SlowDown', 'chunked']);
    expect(answer.body).toMatch(new RegExp(`^${PROLOG} +<Error><Code>SlowDown</Code>.*</Error>$`));
    expect([element(answer.body, 'RequestId'), element(answer.body, 'Resource')]).toEqual([
      answer.headers['x-amz-request-id'],
      target,
    ]);
    fault = {};
    expect((await world.must('GET', target)).body).toBe('before');
    // SDKs take such an answer for one they may repeat.
    expect((await ask()).outcome).toBe('200');
  });

  test('an error in time has its status', async () => {
    const ask = await prepare();
    fault = { [method]: { kind: 'throttle' } };
    const answer = await ask();
    expect([answer.outcome, answer.headers['transfer-encoding']]).toEqual(['503 SlowDown', undefined]);
    fault = {};
    expect((await world.must('GET', target)).body).toBe('before');
  });
});

test(rule('copy.keep-alive.version', 'versions in a slow answer'), async () => {
  const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
  await world.must('PUT', `/${bucket}?versioning`, { body });
  const version = (await world.put(`/${bucket}/source`, 'source')).headers['x-amz-version-id'];
  const said = ({ outcome, headers }: Answer): unknown[] => [
    outcome,
    headers['x-amz-copy-source-version-id'],
    headers['x-amz-version-id'],
  ];
  expect(said(await world.copy(target, `/${bucket}/source`))).toEqual([
    '200',
    version,
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ]);
  slow('copy');
  expect(said(await world.copy(target, `/${bucket}/source`))).toEqual(['200', version, undefined]);
});

test(
  rule(['copy.error.early', 'source.if.failed'], 'a slow look-up of a source that is refused has its status'),
  async () => {
    fault = { head: { kind: 'delay', ms: SLOW_MS } };
    const answer = await world.copy(target, `/${bucket}/source`, { 'x-amz-copy-source-if-none-match': '*' });
    expect([answer.outcome, answer.headers['transfer-encoding']]).toEqual(['412 PreconditionFailed', undefined]);
  },
);
