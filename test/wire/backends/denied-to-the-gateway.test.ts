import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { type PortMethod, wrapStore } from '../../../src/store/wrap-store.ts';
import { contentMd5 } from '../../support/clients/acl-client.ts';
import { World } from '../spec/world.ts';

/** What the backend denies to the gateway's own identity is told to clients with its reason, and not as a failure. */
const CHANGES: ReadonlySet<PortMethod> = new Set(['write', 'setMetadata', 'remove', 'removeMany', 'copy']);
const WORDS = "The gateway's own identity may not do this in the storage service.";
const KEPT = 'A retention policy or hold of the storage service protects it.';

let denial: StoreError | undefined;
let world: World;

beforeAll(async () => {
  const store = wrapStore(new MemoryBlobStore(), ({ method }, run) =>
    denial !== undefined && CHANGES.has(method) ? Promise.reject(denial) : run(),
  );
  world = await World.open({}, store);
  await world.must('PUT', '/held');
  await world.put('/held/key', 'bytes');
});

afterAll(async () => {
  denial = undefined;
  await world.close();
});

test.each([
  ['BlobImmutableDueToLegalHold', KEPT],
  ['retentionPolicyNotMet', KEPT],
  ['AuthorizationPermissionMismatch', 'The storage service says: AuthorizationPermissionMismatch.'],
  ['forbidden', 'The storage service says: forbidden.'],
])('%s', async (code, reason) => {
  denial = undefined;
  await world.must('GET', '/held/key');
  denial = new StoreError('denied', { status: 403, code });
  for (const [method, body] of [
    ['PUT', 'other'],
    ['DELETE', undefined],
  ] as const) {
    const answer = await world.ask(method, '/held/key', body === undefined ? {} : { body });
    expect(answer.outcome).toBe('403 AccessDenied');
    expect(answer.body.replaceAll('&apos;', "'")).toContain(`${WORDS} ${reason}`);
  }
  const body = '<Delete><Object><Key>key</Key></Object></Delete>';
  const headers = { 'content-md5': contentMd5(body) };
  const many = await world.must('POST', '/held?delete', { body, headers });
  expect(many.body).toContain('<Code>AccessDenied</Code>');
});
