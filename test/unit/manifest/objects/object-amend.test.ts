import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PutRequest } from '../../../../src/manifest/heads/object-requests.ts';
import type { ObjectView } from '../../../../src/manifest/records/object-view.ts';
import { settle } from '../../../../src/manifest/versions/settle.ts';
import type { Tag } from '../../../../src/protocol/tagging.ts';
import { ABSENT } from '../../../../src/store/blob-store.ts';
import { testCall } from '../../../support/test-call.ts';
import { everywhere, interleave } from '../interleave.ts';
import { OWNER, type Plan, UploadFixture, codeOf, md5Of, multipartEtag } from '../upload-fixture.ts';

const KEY = 'k';
const OLD = tag('old');
const NEW = tag('new');
const AMENDED = tag('amended');

function tag(value: string): Tag[] {
  return [{ key: 'tag', value }];
}

function put(
  fixture: UploadFixture,
  text: string,
  tags: readonly Tag[],
  more: Partial<PutRequest> = {},
): Promise<unknown> {
  const attributes = { headers: { contentType: 'text/plain' }, userMetadata: { colour: 'blue' }, tags };
  return fixture.objects.put(
    { bucket: fixture.bucket, key: KEY },
    { body: Buffer.from(text), attributes, ownerId: OWNER, conditions: {}, ...more },
    testCall(),
  );
}

function amend(fixture: UploadFixture, tags: readonly Tag[] = AMENDED, call = testCall()): Promise<ObjectView> {
  return fixture.objects.amend({ bucket: fixture.bucket, key: KEY }, () => ({ tags }), call);
}

function find(fixture: UploadFixture): Promise<ObjectView> {
  return fixture.objects.find({ bucket: fixture.bucket, key: KEY }, testCall());
}

async function tagsOf(fixture: UploadFixture): Promise<readonly Tag[] | undefined> {
  return (await find(fixture)).tags;
}

async function settled(work: Promise<unknown> | undefined): Promise<void> {
  await work;
}

/** A view without what every write of the head changes. */
async function lasting(fixture: UploadFixture): Promise<Omit<ObjectView, 'head' | 'bytes' | 'tags'>> {
  const { head: _head, bytes: _bytes, tags: _tags, ...view } = await find(fixture);
  return view;
}

function remove(fixture: UploadFixture): Promise<unknown> {
  return fixture.objects.remove({ bucket: fixture.bucket, key: KEY }, { conditions: {}, ownerId: OWNER }, testCall());
}

/** An object of parts whose bytes have not been moved to its key. */
async function unsettled(tags: readonly Tag[] = OLD): Promise<UploadFixture> {
  const fixture = await UploadFixture.open({ settling: false });
  const target = await fixture.create(KEY, { attributes: { headers: {}, userMetadata: {}, tags } });
  const parts = [await fixture.part(target, 1, 'one,'), await fixture.part(target, 2, 'two')];
  await fixture.complete(target, parts);
  return fixture;
}

/** Faults for the n-th call of this method. */
function at(method: string, n: number, fault: ReturnType<Plan>): Plan {
  let count = 0;
  return (call) => (call.method === method && ++count === n ? fault : undefined);
}

describe('amending an object', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01T00:00:00.250Z') });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const later = (): unknown => vi.setSystemTime(Date.now() + 3_600_000);

  it('replaces its tags in two calls and leaves all else as it was', async () => {
    const fixture = await UploadFixture.open();
    await put(fixture, 'text', OLD);
    const before = await lasting(fixture);
    later();
    const call = testCall();
    await amend(fixture, AMENDED, call);
    expect(call.facts.backendCalls).toBe(2);
    expect(await tagsOf(fixture)).toEqual(AMENDED);
    expect(await lasting(fixture)).toEqual(before);
    expect(await fixture.text(KEY)).toBe('text');
    await amend(fixture, []);
    expect(await find(fixture)).not.toHaveProperty('tags');
  });

  it('writes nothing when there is nothing to change', async () => {
    const fixture = await UploadFixture.open();
    await put(fixture, 'text', []);
    const call = testCall();
    await fixture.objects.amend({ bucket: fixture.bucket, key: KEY }, () => undefined, call);
    expect(call.facts.backendCalls).toBe(1);
  });

  it('sees the object, and may refuse', async () => {
    const fixture = await UploadFixture.open();
    await put(fixture, 'text', OLD);
    const refuse = ({ tags }: ObjectView): never => {
      throw new Error(`no: ${tags?.[0]?.value ?? ''}`);
    };
    await expect(fixture.objects.amend({ bucket: fixture.bucket, key: KEY }, refuse, testCall())).rejects.toThrow(
      'no: old',
    );
    expect(await tagsOf(fixture)).toEqual(OLD);
  });

  it.each(['with an MD5', 'without'])('of native tools keeps its ETag, its time and its metadata, %s', async (md5) => {
    const fixture = await UploadFixture.open();
    const ref = { container: fixture.bucket.home.container, name: KEY };
    const metadata = { made_by: 'a tool' };
    if (md5 === 'without') {
      const { tokens } = await fixture.memory.stagePart(ref, Buffer.from('native'), {}, testCall());
      await fixture.memory.assemble(
        ref,
        { tokens, metadata, headers: { contentType: 'a/b' }, condition: ABSENT },
        testCall(),
      );
    } else {
      await fixture.memory.write(ref, Buffer.from('native'), { metadata, headers: { contentType: 'a/b' } }, testCall());
    }
    const before = await lasting(fixture);
    expect(before).toMatchObject({ userMetadata: metadata, headers: { contentType: 'a/b' } });
    if (md5 !== 'without') expect(before.etag).toBe(md5Of('native'));
    for (let turn = 0; turn < 3; turn++) {
      later();
      await amend(fixture);
      expect(await lasting(fixture)).toEqual(before);
    }
    expect(await tagsOf(fixture)).toEqual(AMENDED);
    expect(await fixture.text(KEY)).toBe('native');
  });

  it('spills tags of the largest size, and takes them back', async () => {
    const fixture = await UploadFixture.open();
    await put(fixture, 'text', OLD);
    const before = await lasting(fixture);
    const big = Array.from({ length: 10 }, (_, i) => ({
      key: `${i}${'\u00e4'.repeat(127)}`,
      value: '\u20ac'.repeat(256),
    }));
    await amend(fixture, big);
    expect(await tagsOf(fixture)).toEqual(big);
    expect(await fixture.names('o/')).toHaveLength(1);
    expect(await lasting(fixture)).toEqual(before);
    await amend(fixture, AMENDED);
    const call = testCall();
    expect((await fixture.objects.find({ bucket: fixture.bucket, key: KEY }, call)).tags).toEqual(AMENDED);
    expect(call.facts.backendCalls).toBe(1);
  });

  it('of parts, before its bytes are moved: settles afterwards, tags and time kept', async () => {
    const fixture = await unsettled();
    const before = await lasting(fixture);
    expect(before.etag).toBe(multipartEtag('one,', 'two'));
    expect(await tagsOf(fixture)).toEqual(OLD);
    later();
    await amend(fixture);
    expect(await lasting(fixture)).toEqual({ ...before, archived: false });
    await settle({ bucket: fixture.bucket, key: KEY }, testCall());
    const { head, tags } = await find(fixture);
    expect({ kind: head.kind, tags }).toEqual({ kind: 'inline', tags: AMENDED });
    expect((await lasting(fixture)).mtime).toBe(before.mtime);
    expect(await fixture.text(KEY)).toBe('one,two');
  });

  it('has a settling that gave up in its favour taken up again', async () => {
    const fixture = await UploadFixture.open();
    const target = await fixture.create(KEY);
    const parts = [await fixture.part(target, 1, 'one')];
    let amending: Promise<unknown> | undefined;
    // The settling has read the head and is about to swap it.
    fixture.plan = ({ method, ref }) => {
      if (method !== 'copy' || ref.name !== KEY || amending !== undefined) return undefined;
      amending = amend(fixture);
      return { kind: 'interleave', before: () => settled(amending) };
    };
    await fixture.complete(target, parts);
    await fixture.idle();
    expect(amending).toBeDefined();
    expect(await find(fixture)).toMatchObject({ head: { kind: 'inline' }, tags: AMENDED });
    expect(fixture.backgroundErrors).toEqual([]);
  });
});

describe('lost answers', () => {
  it.each<[string, Plan]>([
    ['answer', at('setMetadata', 1, { kind: 'loseAnswer' })],
    ['request', at('setMetadata', 1, { kind: 'loseRequest' })],
    ['late', at('setMetadata', 1, { kind: 'loseAnswer', lateBy: 5 })],
  ])('to a change of tags are proved: %s', async (_, plan) => {
    const fixture = await UploadFixture.open();
    await put(fixture, 'text', OLD);
    fixture.plan = plan;
    await amend(fixture);
    fixture.plan = () => undefined;
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await tagsOf(fixture)).toEqual(AMENDED);
  });

  it('do not undo what somebody changed since', async () => {
    const fixture = await UploadFixture.open();
    await put(fixture, 'text', OLD);
    fixture.plan = at('setMetadata', 1, { kind: 'loseAnswer' });
    const plan = fixture.plan;
    let others = 0;
    fixture.plan = (call) => {
      const fault = plan(call);
      if (fault !== undefined || call.method !== 'head' || others > 0) return fault;
      if (fixture.calls.some(({ method }) => method === 'setMetadata')) {
        others += 1;
        return { kind: 'interleave', before: () => amend(fixture, NEW) };
      }
      return undefined;
    };
    await amend(fixture);
    expect(others).toBe(1);
    expect(await tagsOf(fixture)).toEqual(NEW);
  });
});

describe('a change of tags, in the midst of which', () => {
  it('the object is written anew: it has the new tags, or those of the change, never the old', async () => {
    await everywhere(1, async (point) => {
      const fixture = await UploadFixture.open();
      await put(fixture, 'old', OLD);
      const course = await interleave(
        fixture,
        point,
        () => amend(fixture),
        () => put(fixture, 'new', NEW),
      );
      expect(await fixture.text(KEY)).toBe(course.met ? 'new' : 'old');
      const displaced = course.met && point.side === 'after' && point.n === 2;
      expect(await tagsOf(fixture)).toEqual(displaced ? NEW : AMENDED);
      return course;
    });
  });

  it('the object is deleted: it stays deleted', async () => {
    await everywhere(1, async (point) => {
      const fixture = await UploadFixture.open();
      await put(fixture, 'old', OLD);
      let code = '';
      const course = await interleave(
        fixture,
        point,
        async () => (code = await codeOf(amend(fixture))),
        () => remove(fixture),
      );
      expect(code).toBe(course.met && !(point.side === 'after' && point.n === 2) ? 'NoSuchKey' : 'ok');
      expect(await fixture.text(KEY)).toBe(course.met ? undefined : 'old');
      return course;
    });
  });

  it('the object is settled: neither is lost', async () => {
    await everywhere(1, async (point) => {
      const fixture = await unsettled();
      const course = await interleave(
        fixture,
        point,
        () => amend(fixture),
        () => settle({ bucket: fixture.bucket, key: KEY }, testCall()),
      );
      expect(await tagsOf(fixture)).toEqual(AMENDED);
      await settle({ bucket: fixture.bucket, key: KEY }, testCall());
      expect(await find(fixture)).toMatchObject({
        head: { kind: 'inline' },
        tags: AMENDED,
        etag: multipartEtag('one,', 'two'),
      });
      expect(await fixture.text(KEY)).toBe('one,two');
      return course;
    });
  });

  it('other tags are set: the last one to be written stays', async () => {
    await everywhere(1, async (point) => {
      const fixture = await UploadFixture.open();
      await put(fixture, 'old', OLD);
      const course = await interleave(
        fixture,
        point,
        () => amend(fixture),
        () => amend(fixture, NEW),
      );
      expect(await tagsOf(fixture)).toEqual(course.met && point.side === 'after' && point.n === 2 ? NEW : AMENDED);
      return course;
    });
  });
});

describe('tags that change in the midst of', () => {
  it('settling stay', async () => {
    await everywhere(2, async (point) => {
      const fixture = await unsettled();
      const course = await interleave(
        fixture,
        point,
        () => settle({ bucket: fixture.bucket, key: KEY }, testCall()),
        () => amend(fixture),
      );
      expect(await tagsOf(fixture)).toEqual(course.met ? AMENDED : OLD);
      expect(await fixture.text(KEY)).toBe('one,two');
      await settle({ bucket: fixture.bucket, key: KEY }, testCall());
      expect(await find(fixture)).toMatchObject({ head: { kind: 'inline' }, tags: course.met ? AMENDED : OLD });
      expect(await fixture.text(KEY)).toBe('one,two');
      return course;
    });
  });

  it('a delete go with the object', async () => {
    await everywhere(1, async (point) => {
      const fixture = await UploadFixture.open();
      await put(fixture, 'old', OLD);
      const course = await interleave(
        fixture,
        point,
        () => remove(fixture),
        () => codeOf(amend(fixture)),
      );
      expect(await fixture.text(KEY)).toBeUndefined();
      return course;
    });
  });

  it('a PUT whose checksum comes last stay, and so does the checksum', async () => {
    await everywhere(1, async (point) => {
      const fixture = await UploadFixture.open();
      const checksum = { algorithm: 'CRC32', value: 'AAAAAA==' } as const;
      const course = await interleave(
        fixture,
        point,
        () => put(fixture, 'new', NEW, { facts: Promise.resolve({ checksum }) }),
        () => codeOf(amend(fixture)),
      );
      expect(await find(fixture)).toMatchObject({ checksum: { ...checksum, type: 'FULL_OBJECT' } });
      expect(await tagsOf(fixture)).toEqual(course.met && !(point.side === 'before' && point.n === 1) ? AMENDED : NEW);
      return course;
    });
  });

  it('a PUT that is displaced before its checksum comes leave the other object alone', async () => {
    const fixture = await UploadFixture.open();
    const facts = Promise.resolve({ checksum: { algorithm: 'CRC32', value: 'AAAAAA==' } as const });
    await interleave(
      fixture,
      { n: 1, side: 'after' },
      () => put(fixture, 'first', OLD, { facts }),
      () => put(fixture, 'second', NEW),
    );
    expect(await find(fixture)).not.toHaveProperty('checksum');
    expect(await fixture.text(KEY)).toBe('second');
    await interleave(
      fixture,
      { n: 1, side: 'after' },
      () => put(fixture, 'third', OLD, { facts }),
      () => remove(fixture),
    );
    expect(await fixture.text(KEY)).toBeUndefined();
  });
});

describe('an upload that breaks off before it is published, over an object whose tags then change often', () => {
  it.each(['of ours', 'of native tools'])('is completed all the same, over one %s', async (whose) => {
    const fixture = await UploadFixture.open();
    if (whose === 'of ours') {
      await put(fixture, 'old', OLD);
    } else {
      await fixture.memory.write({ container: 'bucket', name: KEY }, Buffer.from('old'), { metadata: {} }, testCall());
    }
    const { target, parts } = await fixture.started(KEY, 'one,', 'two');
    fixture.plan = ({ method, ref }) => (method === 'write' && ref.name === KEY ? { kind: 'fail' } : undefined);
    expect(await codeOf(fixture.complete(target, parts))).not.toBe('ok');
    fixture.plan = () => undefined;
    for (let turn = 0; turn < 12; turn++) await amend(fixture, tag(String(turn)));
    expect(await fixture.text(KEY)).toBe('old');
    expect(await codeOf(fixture.complete(target, parts))).toBe('ok');
    expect(await fixture.text(KEY)).toBe('one,two');
  });
});
