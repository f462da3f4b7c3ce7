import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../../adapters/doubles/faults.ts';
import type { Versioning } from '../../../../src/manifest/records/bucket.ts';
import type { WriteConditions } from '../../../../src/protocol/conditions.ts';
import { OWNER, putOf } from '../../../support/manifest/manifest.ts';
import { testCall } from '../../../support/test-call.ts';
import { UploadFixture, codeOf } from '../upload-fixture.ts';

const PARTS = 'the parts';
const CREATE_ONLY: WriteConditions = { ifNoneMatch: '*' };

interface Circumstances {
  /** What is at the key when the first Complete begins. */
  readonly before?: string;
  readonly versioning?: Versioning;
}

/**
 * An upload whose Complete got no answer, or a refusal, at the write of the head; what others do to the key; and the
 * Complete again.
 */
class Repeated {
  readonly fixture: UploadFixture;
  readonly upload: Awaited<ReturnType<UploadFixture['started']>>;

  private constructor(fixture: UploadFixture, upload: Repeated['upload']) {
    this.fixture = fixture;
    this.upload = upload;
  }

  private static async open({ before, versioning = 'never' }: Circumstances): Promise<Repeated> {
    const fixture = await UploadFixture.open({ settling: false, discarding: false });
    fixture.bucket = { ...fixture.bucket, versioning };
    if (before !== undefined) await fixture.put('k', before);
    return new Repeated(fixture, await fixture.started('k', PARTS));
  }

  static async after(fault: Fault, circumstances: Circumstances = {}): Promise<Repeated> {
    const repeated = await Repeated.open(circumstances);
    const { fixture } = repeated;
    fixture.plan = ({ method, ref }) => (method === 'write' && ref.name === 'k' ? fault : undefined);
    expect(await repeated.complete()).toMatch(/unavailable|throttled/);
    fixture.plan = () => undefined;
    return repeated;
  }

  /**
   * The head was written; the answer got lost, and with it the client or the process: nobody looks what became of it.
   */
  static async landed(circumstances: Circumstances = {}): Promise<Repeated> {
    const repeated = await Repeated.open(circumstances);
    const { fixture } = repeated;
    let isGone = false;
    fixture.plan = ({ method, ref }) => {
      if (isGone) return { kind: 'fail' };
      isGone = method === 'write' && ref.name === 'k';
      return isGone ? { kind: 'loseAnswer' } : undefined;
    };
    expect(await repeated.complete()).toBe('unavailable');
    fixture.plan = () => undefined;
    expect(await fixture.text('k')).toBe(PARTS);
    return repeated;
  }

  complete(conditions: WriteConditions = {}): Promise<string> {
    return codeOf(this.fixture.complete(this.upload.target, this.upload.parts, { conditions }));
  }

  put(text: string, conditions: WriteConditions): Promise<string> {
    return codeOf(
      this.fixture.objects.put({ bucket: this.fixture.bucket, key: 'k' }, putOf(text, { conditions }), testCall()),
    );
  }

  async etag(): Promise<string> {
    return (await this.fixture.objects.find({ bucket: this.fixture.bucket, key: 'k' }, testCall())).etag;
  }

  async remove(conditions: WriteConditions = {}): Promise<void> {
    await this.fixture.objects.remove(
      { bucket: this.fixture.bucket, key: 'k' },
      { conditions, ownerId: OWNER },
      testCall(),
    );
  }

  async tag(value: string): Promise<void> {
    await this.fixture.objects.amend(
      { bucket: this.fixture.bucket, key: 'k' },
      () => ({ tags: [{ key: 'by', value }] }),
      testCall(),
    );
  }

  /** What is at the key in the end, and still when the Complete comes a third time. */
  async end(): Promise<string | undefined> {
    await this.fixture.idle();
    const text = await this.fixture.text('k');
    expect(await this.complete()).toBe('ok');
    expect(await this.fixture.text('k')).toBe(text);
    return text;
  }
}

const LOST: Fault = { kind: 'loseRequest' };

describe('Complete, repeated after its head was not written, for all that is known', () => {
  it.each([LOST, { kind: 'throttle' }] as const)(
    'comes on top of what was made where nothing was, after $kind',
    async (fault) => {
      const repeated = await Repeated.after(fault);
      expect(await repeated.put('made first', CREATE_ONLY)).toBe('ok');
      expect(await repeated.complete()).toBe('ok');
      expect(await repeated.end()).toBe(PARTS);
    },
  );

  it('comes on top of what was changed on condition since, and tagged', async () => {
    const repeated = await Repeated.after(LOST);
    await repeated.put('made first', CREATE_ONLY);
    expect(await repeated.put('changed', { ifMatch: await repeated.etag() })).toBe('ok');
    await repeated.tag('x');
    expect(await repeated.complete()).toBe('ok');
    expect(await repeated.end()).toBe(PARTS);
  });

  it('comes after a DELETE that was conditional on what was there before', async () => {
    const repeated = await Repeated.after(LOST, { before: 'old' });
    await repeated.remove({ ifMatch: await repeated.etag() });
    expect(await repeated.complete()).toBe('ok');
    expect(await repeated.end()).toBe(PARTS);
  });

  it('comes on top of what was made after a DELETE', async () => {
    const repeated = await Repeated.after(LOST, { before: 'old' });
    await repeated.remove({ ifMatch: await repeated.etag() });
    await repeated.put('made first', CREATE_ONLY);
    expect(await repeated.complete()).toBe('ok');
    expect(await repeated.end()).toBe(PARTS);
  });

  it('comes on top of what was copied where nothing was', async () => {
    const repeated = await Repeated.after(LOST);
    const { bucket, objects } = repeated.fixture;
    await repeated.fixture.put('source', 'copied');
    const view = await objects.find({ bucket, key: 'source' }, testCall());
    const { body: _body, ...request } = putOf('copied', { conditions: CREATE_ONLY });
    await objects.copy(
      { bucket, key: 'k' },
      { ...request, source: { bucket, view }, sameAttributes: true },
      testCall(),
    );
    expect(await repeated.complete()).toBe('ok');
    expect(await repeated.end()).toBe(PARTS);
  });

  it('stays beneath a plain PUT, which may have been written over it', async () => {
    const repeated = await Repeated.after(LOST);
    await repeated.put('plain', {});
    expect(await repeated.complete()).toBe('ok');
    expect(await repeated.end()).toBe('plain');
  });

  it('says that nobody knows behind more changes than a head remembers', async () => {
    const repeated = await Repeated.after(LOST, { before: 'old' });
    for (let n = 0; n < 9; n++) {
      expect(await repeated.put(`change ${n}`, { ifMatch: await repeated.etag() })).toBe('ok');
    }
    expect(await repeated.complete()).toBe('unavailable');
    expect(await repeated.fixture.text('k')).toBe('change 8');
  });

  it('with a condition says that nobody knows', async () => {
    const repeated = await Repeated.after(LOST);
    await repeated.put('made first', CREATE_ONLY);
    expect(await repeated.complete(CREATE_ONLY)).toBe('unavailable');
    expect(await repeated.fixture.text('k')).toBe('made first');
  });

  it.each(['suspended', 'enabled'] as const)(
    'comes on top of what was made where nothing was, versioning %s',
    async (versioning) => {
      const repeated = await Repeated.after(LOST, { versioning });
      expect(await repeated.put('made first', CREATE_ONLY)).toBe('ok');
      expect(await repeated.complete()).toBe('ok');
      expect(await repeated.end()).toBe(PARTS);
    },
  );
});

describe('Complete, repeated after its head was written and nobody said so', () => {
  it('stays beneath what was written over it', async () => {
    const repeated = await Repeated.landed();
    await repeated.put('plain', {});
    expect(await repeated.complete()).toBe('ok');
    expect(await repeated.end()).toBe('plain');
  });

  it.each([undefined, 'old'])('stays beneath what was made after it was deleted, over %s', async (before) => {
    const repeated = await Repeated.landed({ ...(before !== undefined && { before }) });
    await repeated.remove();
    expect(await repeated.put('made since', CREATE_ONLY)).toBe('ok');
    expect(await repeated.complete()).toBe('ok');
    expect(await repeated.end()).toBe('made since');
  });

  it('stays beneath what was changed on condition since', async () => {
    const repeated = await Repeated.landed();
    expect(await repeated.put('changed', { ifMatch: await repeated.etag() })).toBe('ok');
    expect(await repeated.complete()).toBe('ok');
    expect(await repeated.end()).toBe('changed');
  });
});

describe('Complete that was refused for certain', () => {
  it('leaves an upload that can be aborted at once', async () => {
    const { fixture, upload } = await Repeated.after({ kind: 'throttle' });
    expect(await codeOf(fixture.uploads.abort(upload.target, testCall()))).toBe('ok');
    expect(await fixture.names('u/', 'p/', 'c/', 'v/')).toEqual([]);
  });

  it('is not aborted while it may be under way', async () => {
    const { fixture, upload } = await Repeated.after(LOST);
    expect(await codeOf(fixture.uploads.abort(upload.target, testCall()))).toBe('OperationAborted');
  });
});
