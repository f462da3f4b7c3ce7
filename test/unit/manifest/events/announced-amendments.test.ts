import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { intentPages } from '../../../../src/manifest/events/intent-pages.ts';
import type { Bucket } from '../../../../src/manifest/records/bucket.ts';
import type { ObjectEvent } from '../../../../src/manifest/records/change-intent.ts';
import type { ObjectView } from '../../../../src/manifest/records/object-view.ts';
import type { Call } from '../../../../src/observe/call.ts';
import { LIFECYCLE } from '../../../../src/protocol/notifications/event-names.ts';
import type { NotificationRule } from '../../../../src/protocol/notifications/notification-rule.ts';
import { testCall } from '../../../support/test-call.ts';
import { CLASSES } from '../lifecycle/lifecycle-fixture.ts';
import { SweepFixture } from '../sweep/sweep-fixture.ts';
import { OWNER } from '../upload-fixture.ts';

const RULE: NotificationRule = {
  id: 'all',
  kind: 'queue',
  target: 'arn:of:queue',
  events: ['s3:ObjectRestore:*', 's3:LifecycleTransition', 's3:ObjectTagging:*', 's3:ObjectRemoved:*'],
};

describe.each(['never', 'enabled'] as const)('what is said of an object, versioning %s', (versioning) => {
  let fixture: SweepFixture;
  let bucket: Bucket;
  beforeEach(async () => {
    fixture = await SweepFixture.open({ classes: CLASSES, capabilities: { archiveIsOffline: true } });
    if (versioning !== 'never') await fixture.version(versioning);
    bucket = { ...fixture.bucket, settings: { notifications: [RULE] } };
  });
  afterEach(() => vi.useRealTimers());

  /** A request, some time after the one before: the time tells changes of one version apart. */
  const by = (operation: string): Call => {
    fixture.advance(0.001);
    const who = { principalId: 'AWS:U', requester: '1', sourceAddress: '192.0.2.1', hostId: 'H' };
    return { ...testCall(), occasion: { operation, ...who } };
  };
  const find = (): Promise<ObjectView> => fixture.gateway.objects.find({ bucket, key: 'k' }, testCall());

  async function put(storageClass?: string): Promise<ObjectView> {
    const attributes = { headers: {}, userMetadata: {}, ...(storageClass !== undefined && { storageClass }) };
    const keepApart = storageClass === 'GLACIER' ? { keepApart: { kind: 'archive' } as const } : {};
    const request = { body: Buffer.from('bytes'), attributes, ownerId: OWNER, conditions: {}, ...keepApart };
    await fixture.gateway.objects.put({ bucket, key: 'k' }, request, testCall());
    return find();
  }

  /** The events of committed changes, as a sender finds them. */
  async function told(): Promise<readonly ObjectEvent[]> {
    await fixture.gateway.idle();
    const all: ObjectEvent[] = [];
    for await (const { events } of intentPages(bucket, { now: Date.now() }, testCall())) all.push(...events);
    return all;
  }

  test('a restore is told when it begins, when it is done, and when it is over', async () => {
    const { objects, memory } = fixture.gateway;
    const { etag, versionId } = await put('GLACIER');
    const before = await fixture.names('e/');
    memory.holdsRehydration = true;
    const request = { days: 2, tier: 'Standard', guard: () => undefined } as const;
    await objects.restore({ bucket, key: 'k' }, request, by('RestoreObject'));
    expect((await told()).map(({ name }) => name)).toEqual(['ObjectRestore:Post']);
    for (const name of await fixture.names('e/')) {
      if (!before.includes(name)) memory.setArchived({ container: 'system', name }, false);
    }
    fixture.advance(0.001);
    const done = await objects.finishRestore({ bucket, key: 'k' }, await find(), testCall());
    fixture.advance(72);
    expect(await objects.endRestore({ bucket, key: 'k' }, done, testCall())).toBe(true);
    expect((await find()).restore).toBeUndefined();
    const events = await told();
    const said = { etag, size: 5, ...(versioning === 'enabled' && { versionId }) };
    expect(events).toMatchObject([
      { name: 'ObjectRestore:Post', principalId: 'AWS:U', ...said },
      { name: 'ObjectRestore:Completed', storageClass: 'GLACIER', until: done.restore?.until, ...said },
      { name: 'ObjectRestore:Delete', principalId: `AmazonCustomer:${OWNER}`, ...said },
    ]);
    expect(events.map(({ versionId: id }) => id)).toEqual(
      Array(3).fill(versioning === 'enabled' ? versionId : undefined),
    );
    expect(await objects.endRestore({ bucket, key: 'k' }, done, testCall())).toBe(false);
  });

  test.each(['STANDARD_IA', 'GLACIER'])('a move to %s is told with the class', async (storageClass) => {
    const view = await put();
    expect(await fixture.gateway.objects.changeClass(bucket, view, { storageClass }, by(LIFECYCLE))).toBe('changed');
    expect(await told()).toMatchObject([{ name: 'LifecycleTransition', storageClass, size: 5, etag: view.etag }]);
  });

  test('a move that the account refuses leaves no announcement behind', async () => {
    const view = await put();
    fixture.gateway.plan = ({ method }) => (method === 'copy' ? { kind: 'fail', error: 'tierRefused' } : undefined);
    const request = { storageClass: 'STANDARD_IA' };
    expect(await fixture.gateway.objects.changeClass(bucket, view, request, by(LIFECYCLE))).toBe('refused');
    await fixture.gateway.idle();
    expect((await fixture.names('n/')).length).toBe(1);
  });

  test('tags are told although their version is removed before anybody looks', async () => {
    const { versionId } = await put();
    const target = { bucket, key: 'k', ...(versioning === 'enabled' && { versionId }) };
    const { objects } = fixture.gateway;
    await objects.amend(target, () => ({ tags: [{ key: 'a', value: 'b' }] }), by('PutObjectTagging'));
    await objects.amend(target, () => ({ tags: [] }), by('DeleteObjectTagging'));
    await objects.remove(target, { conditions: {}, ownerId: OWNER }, by('DeleteObject'));
    const names = (await told()).map(({ name }) => name);
    expect(names).toEqual(['ObjectTagging:Put', 'ObjectTagging:Delete', 'ObjectRemoved:Delete']);
  });

  test('what is announced, and not done, is not told', async () => {
    const { versionId } = await put();
    fixture.gateway.plan = ({ method }) => (method === 'setMetadata' ? { kind: 'fail', error: 'denied' } : undefined);
    const target = { bucket, key: 'k', ...(versioning === 'enabled' && { versionId }) };
    const tags = [{ key: 'a', value: 'b' }];
    const failed = fixture.gateway.objects.amend(target, () => ({ tags }), by('PutObjectTagging'));
    await expect(failed).rejects.toThrow();
    expect((await fixture.names('n/')).length).toBe(2);
    expect(await told()).toEqual([]);
  });
});
