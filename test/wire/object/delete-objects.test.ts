import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentMd5, outcome, send } from '../../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  await send(gateway.port, 'owner', { method: 'PUT', target: '/deletions' });
  await send(gateway.port, 'owner', { method: 'PUT', target: '/deletions/kept', body: 'kept' });
});
afterAll(() => gateway.close());

function remove(keys: readonly string[]): ReturnType<typeof send> {
  const body = `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`;
  return send(gateway.port, 'owner', {
    method: 'POST',
    target: '/deletions?delete',
    body,
    headers: { 'content-md5': contentMd5(body) },
  });
}

test('an entry without a key spoils the document: nothing is deleted', async () => {
  for (const keys of [[''], ['kept', ''], ['', 'kept']]) {
    expect(outcome(await remove(keys))).toBe('400 MalformedXML');
    expect((await send(gateway.port, 'owner', { method: 'GET', target: '/deletions/kept' })).body).toBe('kept');
  }
});

test('a key that is too long is an error beside the successes of others', async () => {
  const longest = 'k'.repeat(1024);
  const tooLong = 'é'.repeat(513);
  const answer = await remove([longest, tooLong, 'kept']);
  expect(outcome(answer)).toBe('200');
  expect(answer.body).toContain(`<Error><Key>${tooLong}</Key><Code>KeyTooLongError</Code>`);
  expect(answer.body.match(/<Deleted>/g)).toHaveLength(2);
});

test('a copy source that is too long is told so', async () => {
  const headers = { 'x-amz-copy-source': `/deletions/${'k'.repeat(1025)}` };
  expect(outcome(await send(gateway.port, 'owner', { method: 'PUT', target: '/deletions/copy', headers }))).toBe(
    '400 KeyTooLongError',
  );
});
