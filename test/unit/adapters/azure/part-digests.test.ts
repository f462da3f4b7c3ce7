import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { PartDigests } from '../../../../adapters/shared/part-digests.ts';
import { StoreError } from '../../../../src/store/store-error.ts';
import { testCall } from '../../../support/test-call.ts';
import { answer, busy, failure, reset, serve } from './scripted-service.ts';
import type { Service, Turn } from './scripted-service.ts';

const MIB = 1024 * 1024;
const STAGING = { container: 'system', name: 'staging' };
const NEW = '2026-02-06';
const OLD = '2018-11-09';

const running: Service[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

async function start(...turns: readonly Turn[]): Promise<Service> {
  const service = await serve('usual', turns);
  running.push(service);
  return service;
}

function md5Of(text: string, form: 'hex' | 'base64' = 'hex'): string {
  return createHash('md5').update(text).digest(form);
}

/** As the service was recorded: by the version that is asked for, with the MD5 of what came, or with a CRC64. */
const asRecorded: Turn = (socket, request) => {
  const version = headerOf(request, 'x-ms-version') ?? '';
  const body = request.slice(request.indexOf('\r\n\r\n') + 4);
  const digest = version < '2019-02-02' ? `Content-MD5: ${md5Of(body, 'base64')}` : 'x-ms-content-crc64: AAAAAAAAAAA=';
  socket.write(`HTTP/1.1 201 Created\r\n${digest}\r\nContent-Length: 0\r\n\r\n`);
};
const withoutMd5 = answer('201 Created', 'x-ms-content-crc64: AAAAAAAAAAA=\r\n');
const withOtherMd5 = answer('201 Created', `Content-MD5: ${md5Of('other', 'base64')}\r\n`);
const tooOld = answer('400 Bad Request', 'x-ms-error-code: InvalidHeaderValue\r\n');
const mismatch = answer('400 Bad Request', 'x-ms-error-code: Md5Mismatch\r\n');

function headerOf(request: string | undefined, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: ?([^\\r]*)`, 'i').exec(request ?? '')?.[1];
}

function versions({ requests }: Service): (string | undefined)[] {
  return requests.map((request) => headerOf(request, 'x-ms-version'));
}

function ask({ store }: Service, size = 5): Promise<boolean> | undefined {
  return store.partDigests?.ask(STAGING, size, testCall());
}

function streamed(text: string): { size: number; stream: Readable } {
  return { size: Buffer.byteLength(text), stream: Readable.from([Buffer.from(text)], { objectMode: false }) };
}

describe('an account that says the MD5 of blocks', () => {
  test('is asked once, by a block of its own, and says it of parts that carry no digest', async () => {
    const service = await start(asRecorded);
    expect(await ask(service)).toBe(true);
    expect(await ask(service)).toBe(true);
    const [question, ...more] = service.requests;
    expect([question?.split(' ', 2), more]).toEqual([
      ['PUT', expect.stringMatching(/staging\?blockid=.*comp=block$/)],
      [],
    ]);
    expect(await service.store.stagePart(STAGING, streamed('hello'), {}, testCall())).toMatchObject({
      md5: md5Of('hello'),
    });
    expect(headerOf(service.requests[1], 'content-md5')).toBeUndefined();
    expect(versions(service)).toEqual([OLD, OLD]);
  });

  test('does not say it of parts above 100 MiB, which that version does not take', async () => {
    const service = await start(asRecorded);
    expect(await ask(service, 100 * MIB)).toBe(true);
    expect(await ask(service, 100 * MIB + 1)).toBe(false);
  });

  test('is told the MD5 that is known, and refuses other bytes', async () => {
    const service = await start(asRecorded, mismatch);
    await ask(service);
    const md5 = md5Of('other');
    const refused = await failure(service.store.stagePart(STAGING, streamed('hello'), { md5 }, testCall()));
    expect([refused.kind, headerOf(service.requests[1], 'content-md5')]).toEqual([
      'digestMismatch',
      md5Of('other', 'base64'),
    ]);
    expect(service.store.partDigests?.active).toBe(true);
  });

  test.each([
    ['says it no longer', withoutMd5],
    ['takes that version no longer', tooOld],
  ])('and later %s is not relied on any more', async (_what, turn) => {
    const service = await start(asRecorded, turn, withoutMd5);
    await ask(service);
    const staged = service.store.stagePart(STAGING, streamed('hello'), {}, testCall());
    expect((await staged.catch(() => undefined))?.md5).toBeUndefined();
    expect([service.store.partDigests?.active, await ask(service)]).toEqual([false, false]);
    await service.store.stagePart(STAGING, Buffer.from('hello'), {}, testCall());
    expect(versions(service)).toEqual([OLD, OLD, NEW]);
    expect(headerOf(service.requests[2], 'content-md5')).toBe(md5Of('hello', 'base64'));
  });
});

test.each([
  ['says none', withoutMd5],
  ['says another one', withOtherMd5],
  ['does not take that version', tooOld],
])('an account that %s is not asked again for an hour, nor sent that version', async (_what, turn) => {
  const service = await start(turn, withoutMd5);
  expect([await ask(service), await ask(service)]).toEqual([false, false]);
  await service.store.stagePart(STAGING, streamed('hello'), {}, testCall());
  expect(versions(service)).toEqual([OLD, NEW]);
});

test.each([
  ['breaks off', reset],
  ['is busy', busy],
])('a question that %s is no answer: parts are hashed here meanwhile', async (_what, turn) => {
  const service = await start(turn);
  expect([await ask(service), service.store.partDigests?.active]).toEqual([false, false]);
});

describe('what is remembered', () => {
  function digests(): { told: PartDigests; pass: (ms: number) => void } {
    let now = 0;
    return { told: new PartDigests(false, () => now), pass: (ms) => (now += ms) };
  }
  const HOUR = 60 * 60_000;

  test('one request asks; those that come meanwhile do not wait', async () => {
    const { told } = digests();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const first = told.learn(() => promise);
    expect(await told.learn(() => Promise.reject(new Error('asked twice')))).toBe(false);
    resolve(true);
    expect([await first, told.active]).toEqual([true, true]);
  });

  test.each([
    ['a refusal', new StoreError('unexpected', { call: 'stagePart' }), HOUR],
    ['a failure', new StoreError('unavailable', { call: 'stagePart' }), 60_000],
    ['a client that left', new StoreError('aborted', { call: 'stagePart' }), 0],
  ])('%s is asked again in its time', async (_what, error, wait) => {
    const { told, pass } = digests();
    let asked = 0;
    const question = async (): Promise<boolean> => {
      asked += 1;
      if (asked === 1) throw error;
      return true;
    };
    expect(await told.learn(question)).toBe(false);
    pass(wait - 1);
    if (wait > 0) expect(await told.learn(question)).toBe(false);
    pass(1);
    expect([await told.learn(question), asked]).toEqual([true, 2]);
  });
});
