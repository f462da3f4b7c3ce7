import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { type Fault, type PlannedCall, withFaults } from '../../../adapters/doubles/faults.ts';
import { testCall } from '../../support/test-call.ts';
import { rule } from './rule.ts';
import { World, element } from './world.ts';

let store: MemoryBlobStore;
let world: World;
let fault: (call: PlannedCall) => Fault | undefined = () => undefined;
let bucket: string;
let target: string;

beforeAll(async () => {
  store = new MemoryBlobStore();
  world = await World.open(
    {},
    withFaults(store, (call) => fault(call)),
  );
});
afterAll(() => world.close());

beforeEach(async () => {
  fault = () => undefined;
  bucket = await world.bucket();
  target = `/${bucket}/key`;
});

const part = (upload: string, body = 'part'): ReturnType<World['ask']> =>
  world.ask('PUT', `${upload}&partNumber=1`, { body });

/** Names of everything that is stored beside buckets and their objects. */
async function stored(): Promise<string[]> {
  const { entries } = await store.list('system', { prefix: '', limit: 1000 }, testCall());
  return entries.map(({ name }) => name).sort();
}

describe('an upload that is aborted', () => {
  test(
    rule(['abort.done', 'abort.frees', 'abort.left-over', 'common.empty'], 'is over, and leaves nothing'),
    async () => {
      await world.put(target, 'object');
      const before = await stored();
      const upload = await world.upload(target);
      const {
        headers: { etag = '' },
      } = await part(upload);
      const answer = await world.ask('DELETE', upload);
      expect([answer.status, answer.body, answer.headers['content-length'], answer.headers['content-type']]).toEqual([
        204,
        '',
        undefined,
        undefined,
      ]);
      expect(Object.keys(answer.headers).filter((name) => /version|marker|charged/.test(name))).toEqual([]);
      expect(await world.outcome('GET', upload)).toBe('404 NoSuchUpload');
      expect((await part(upload)).outcome).toBe('404 NoSuchUpload');
      expect((await world.copyPart(upload, target)).outcome).toBe('404 NoSuchUpload');
      expect((await world.complete(upload, [etag])).outcome).toBe('404 NoSuchUpload');
      expect(await world.outcome('DELETE', upload)).toBe('404 NoSuchUpload');
      expect((await world.must('GET', `/${bucket}?uploads`)).body).not.toContain('<Upload>');
      expect((await world.must('GET', target)).body).toBe('object');
      expect(await stored()).toEqual(before);
    },
  );

  test(rule('abort.frees', 'leaves the other uploads of the key'), async () => {
    const [one, another] = [await world.upload(target), await world.upload(target)];
    const {
      headers: { etag = '' },
    } = await part(another);
    await world.must('DELETE', one);
    expect((await world.complete(another, [etag])).outcome).toBe('200');
  });
});

test(rule('abort.unknown', 'what is no open upload'), async () => {
  const upload = await world.upload(target);
  expect(await world.outcome('DELETE', upload.replace('/key', '/other'))).toBe('404 NoSuchUpload');
  const {
    headers: { etag = '' },
  } = await part(upload);
  await world.complete(upload, [etag]);
  for (const one of [upload, `${target}?uploadId=unknown`, `${target}?uploadId=`]) {
    const answer = await world.ask('DELETE', one);
    expect([answer.outcome, element(answer.body, 'UploadId')]).toEqual(['404 NoSuchUpload', one.split('uploadId=')[1]]);
  }
  expect((await world.must('GET', target)).body).toBe('part');
});

test.each([
  [rule('abort.in-flight', 'a part that is under way'), 'stagePart'],
  [rule('abort.in-flight', 'a copy that is under way'), 'stagePartFrom'],
] as const)('%s', async (_title, method) => {
  await world.put(target, 'object');
  const before = await stored();
  const upload = await world.upload(target);
  // The upload is aborted after the part was let in and before its bytes are stored.
  let met = 0;
  const abort = { kind: 'interleave', before: () => world.must('DELETE', upload) } as const;
  fault = (call) => (call.method === method && met++ === 0 ? abort : undefined);
  const answer =
    method === 'stagePart' ? await part(upload, 'x'.repeat(100_000)) : await world.copyPart(upload, target);
  expect([met, answer.outcome]).toEqual([1, '404 NoSuchUpload']);
  expect(await world.outcome('GET', upload)).toBe('404 NoSuchUpload');
  // What came late may have left something: then a repeated abort frees it.
  expect(await world.outcome('DELETE', upload)).toMatch(/^(204|404 NoSuchUpload)$/);
  expect(await stored()).toEqual(before);
});

test(rule('abort.repeat', 'an abort that broke off can be repeated'), async () => {
  const before = await stored();
  const upload = await world.upload(target);
  await part(upload);
  fault = ({ method }) => (method === 'removeMany' || method === 'discardParts' ? { kind: 'fail' } : undefined);
  expect(await world.outcome('DELETE', upload)).toBe('503 ServiceUnavailable');
  expect((await part(upload)).outcome).toBe('404 NoSuchUpload');
  fault = () => undefined;
  expect(await world.outcome('DELETE', upload)).toBe('204');
  expect(await world.outcome('DELETE', upload)).toBe('404 NoSuchUpload');
  expect(await stored()).toEqual(before);
});

describe('a condition on the time', () => {
  test.each<[string, (initiated: string) => string, string]>([
    [rule('abort.initiated-time', 'that is right'), (initiated) => initiated, '204'],
    [
      rule('abort.initiated-time', 'that is another'),
      (initiated) => new Date(Date.parse(initiated) - 1000).toUTCString(),
      '412 PreconditionFailed',
    ],
    [rule('abort.initiated-time', 'that is none'), () => 'then', '400 InvalidArgument'],
  ])('%s', async (_title, time, expected) => {
    const upload = await world.upload(target);
    const initiated = new Date(
      element((await world.must('GET', `/${bucket}?uploads`)).body, 'Initiated'),
    ).toUTCString();
    expect(
      await world.outcome('DELETE', upload, { headers: { 'x-amz-if-match-initiated-time': time(initiated) } }),
    ).toBe(expected);
    expect(await world.outcome('GET', upload)).toBe(expected === '204' ? '404 NoSuchUpload' : '200');
  });
});
