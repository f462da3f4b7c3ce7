import { afterEach, expect, test } from 'vitest';
import { ABSENT } from '../../../../src/store/blob-store.ts';
import { isStoreError } from '../../../../src/store/store-error.ts';
import { testCall } from '../../../support/test-call.ts';
import { type Service, type Turn, answer, serve } from './scripted-service.ts';

const running: Service[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

const REF = { container: 'bucket', name: 'key' };
const taken = answer('409 Conflict', 'x-ms-error-code: BlobAlreadyExists\r\n');
const created = answer(
  '201 Created',
  'ETag: "0x2"\r\nLast-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-MD5: 1B2M2Y8AsgTpgAmY7PhCfg==\r\n',
);
const CODE = 'x-ms-error-code: ';

/** A name that an emulator says is taken. @returns how the write ended, and the methods that were sent */
async function create(removal: Turn): Promise<readonly [outcome: string, methods: string]> {
  const service = await serve('usual', [taken, removal, created]);
  running.push(service);
  const write = service.store.write(REF, Buffer.alloc(0), { metadata: {}, condition: ABSENT }, testCall());
  const outcome = await write.then(
    () => 'created',
    (error: unknown) => (isStoreError(error) ? error.kind : String(error)),
  );
  return [outcome, service.requests.map((request) => request.split(' ', 1)[0]).join(' ')];
}

test.each([
  ['202, as recorded: uncommitted blocks alone were there', answer('202 Accepted'), ['created', 'PUT DELETE PUT']],
  ['404, as documented', answer('404 Not Found', `${CODE}BlobNotFound\r\n`), ['created', 'PUT DELETE PUT']],
  [
    '412: a blob is there',
    answer('412 Precondition Failed', `${CODE}ConditionNotMet\r\n`),
    ['conditionFailed', 'PUT DELETE'],
  ],
])('a name that the emulator finds taken, of which DELETE says %s', async (_what, removal, expected) => {
  expect(await create(removal)).toEqual(expected);
});
