import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/store/store-error.ts';
import type { Caller } from '../../support/clients/acl-client.ts';
import { type CopyScene, closeScenes, scene } from './scene.ts';
import { type Headers, element } from '../spec/world.ts';

const FIRST = `"${createHash('md5').update('first').digest('hex')}"`;
const SECOND = `"${createHash('md5').update('second').digest('hex')}"`;

afterEach(closeScenes);

describe('a copy of an object that this process looked at', () => {
  test('is one call, again and again', async () => {
    const on = await scene();
    for (const _ of [1, 2]) {
      expect((await on.copy()).outcome).toBe('200');
      expect(on.calls()).toEqual(['copy']);
    }
    expect(await on.copied()).toBe('first');
  });

  test.each<Headers>([
    { 'x-amz-copy-source-if-match': FIRST },
    { 'x-amz-copy-source-if-none-match': SECOND },
    { 'x-amz-metadata-directive': 'REPLACE', 'x-amz-tagging-directive': 'REPLACE', 'x-amz-meta-a': 'b' },
    { 'x-amz-storage-class': 'STANDARD_IA' },
    { 'if-none-match': '*' },
  ])('is one call with %o', async (headers) => {
    const on = await scene({ 'x-amz-tagging': 'a=b' });
    expect((await on.copy(headers)).outcome).toBe('200');
    expect(on.calls()).toEqual(['copy']);
  });

  test('is two calls when its bytes pass through the gateway: a read of that revision, and the write', async () => {
    const on = await scene();
    expect((await on.copy({ 'x-amz-checksum-algorithm': 'SHA256' })).outcome).toBe('200');
    expect(on.calls().slice(0, 2)).toEqual(['read', 'write']);
  });

  test('is what it was with a change of the process itself: it looks', async () => {
    const on = await scene();
    await on.here.put(on.from, 'second');
    on.calls();
    expect((await on.copy()).outcome).toBe('200');
    expect(on.calls()).toEqual(['head', 'copy']);
    expect(await on.copied()).toBe('second');
  });

  test('a part is two calls', async () => {
    const on = await scene();
    const upload = await on.here.upload(on.to);
    on.calls();
    expect((await on.here.copyPart(upload, on.from)).outcome).toBe('200');
    expect(on.calls()).toEqual(['stagePartFrom', 'copy']);
  });
});

interface Change {
  readonly what: string;
  /** Of the source, when it was remembered. */
  readonly before?: Headers;
  /** By another replica. */
  readonly change: (on: CopyScene) => Promise<unknown>;
  readonly as?: Caller;
  readonly headers?: Headers;
  readonly outcome: string;
  /** What the copy is; of a refusal, that there is none. */
  readonly copy?: string;
}

const OPEN = { 'x-amz-acl': 'public-read' };

async function anew(on: CopyScene, body: string, headers: Headers = {}): Promise<void> {
  await on.there.must('DELETE', on.from);
  await on.there.put(on.from, body, headers);
}

async function versions(on: CopyScene): Promise<void> {
  const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
  await on.there.must('PUT', `${on.bucket}?versioning`, { body });
}

const CHANGES: readonly Change[] = [
  { what: 'left as it is', change: async () => undefined, outcome: '200', copy: 'first' },
  {
    what: 'left as it is, asked for by who may not read it',
    change: async () => undefined,
    as: 'other',
    outcome: '403 AccessDenied',
  },
  {
    what: 'replaced',
    change: (on) => on.there.put(on.from, 'second'),
    outcome: '200',
    copy: 'second',
  },
  { what: 'deleted', change: (on) => on.there.must('DELETE', on.from), outcome: '404 NoSuchKey' },
  {
    what: 'deleted, asked for by who may not know',
    before: OPEN,
    change: async (on) => {
      await on.there.must('DELETE', on.from);
      await on.there.must('PUT', `${on.bucket}?acl`, { headers: { 'x-amz-acl': 'private' } });
    },
    as: 'other',
    outcome: '403 AccessDenied',
  },
  {
    what: 'made private',
    before: OPEN,
    change: (on) => on.there.must('PUT', `${on.from}?acl`, { headers: { 'x-amz-acl': 'private' } }),
    as: 'other',
    outcome: '403 AccessDenied',
  },
  {
    what: 'made public',
    change: (on) => on.there.must('PUT', `${on.from}?acl`, { headers: OPEN }),
    as: 'other',
    outcome: '200',
    copy: 'first',
  },
  {
    what: 'made anew with the same bytes, private',
    before: OPEN,
    change: (on) => anew(on, 'first'),
    as: 'other',
    outcome: '403 AccessDenied',
  },
  {
    what: 'replaced, with its old ETag as the condition',
    change: (on) => on.there.put(on.from, 'second'),
    headers: { 'x-amz-copy-source-if-match': FIRST },
    outcome: '412 PreconditionFailed',
  },
  {
    what: 'replaced, with its new ETag as the condition',
    change: (on) => on.there.put(on.from, 'second'),
    headers: { 'x-amz-copy-source-if-match': SECOND },
    outcome: '200',
    copy: 'second',
  },
  {
    what: 'made empty',
    change: (on) => on.there.put(on.from, ''),
    outcome: '200',
    copy: '',
  },
  {
    what: 'replaced by a version',
    change: async (on) => {
      await versions(on);
      await on.there.put(on.from, 'second');
    },
    outcome: '200',
    copy: 'second',
  },
  {
    what: 'hidden by a delete marker',
    change: async (on) => {
      await versions(on);
      await on.there.must('DELETE', on.from);
    },
    outcome: '404 NoSuchKey',
  },
  {
    what: 'completed as an upload',
    change: async (on) => {
      const upload = await on.there.upload(on.from);
      const { headers } = await on.there.must('PUT', `${upload}&partNumber=1`, { body: 'second' });
      expect((await on.there.complete(upload, [headers['etag'] ?? ''])).outcome).toBe('200');
    },
    outcome: '200',
    copy: 'second',
  },
];

describe('a source that another replica has', () => {
  test.each(CHANGES)('$what', async ({ before, change, as = 'owner', headers, outcome, copy = '404' }) => {
    const on = await scene(before);
    await change(on);
    expect((await on.copy(headers, as)).outcome).toBe(outcome);
    expect(await on.copied(outcome === '200' ? as : 'owner')).toBe(copy);
  });

  test('given other tags and metadata, byte for byte the same: the copy has these', async () => {
    const on = await scene({ 'x-amz-tagging': 'a=1', 'x-amz-meta-a': '1' });
    await anew(on, 'first', { 'x-amz-tagging': 'a=2', 'x-amz-meta-a': '2' });
    expect((await on.copy()).outcome).toBe('200');
    expect(await on.there.tags(on.to)).toEqual(['a=2']);
    expect((await on.there.must('HEAD', on.to)).headers['x-amz-meta-a']).toBe('2');
    // What was looked at is remembered in place of what was not there any more.
    expect(on.calls()).toEqual(['copy', 'head', 'copy']);
    await on.copy();
    expect(on.calls()).toEqual(['copy']);
  });

  test.each([
    ['open', 'closed', '403 AccessDenied'],
    ['closed', 'open', '200'],
  ])('tagged %s and then %s, under a policy that asks for the tag: %s', async (was, is, outcome) => {
    const on = await scene({ 'x-amz-tagging': `kind=${was}` });
    const Statement = {
      Effect: 'Allow',
      Principal: '*',
      Action: ['s3:GetObject', 's3:GetObjectTagging', 's3:PutObjectTagging'],
      Resource: `arn:aws:s3:::${on.from.slice(1)}`,
      Condition: { StringEquals: { 's3:ExistingObjectTag/kind': 'open' } },
    };
    const body = JSON.stringify({ Version: '2012-10-17', Statement: [Statement] });
    await on.there.must('PUT', `${on.bucket}?policy`, { body });
    await on.here.must('HEAD', on.from);
    expect(await on.there.putTags(on.from, [['kind', is]])).toBe('200');
    on.calls();
    expect((await on.copy({ 'x-amz-tagging-directive': 'REPLACE' }, 'other')).outcome).toBe(outcome);
    expect(on.calls().filter((method) => method === 'head')).toHaveLength(1);
    expect(await on.copied(outcome === '200' ? 'other' : 'owner')).toBe(outcome === '200' ? 'first' : '404');
  });

  test('replaced, for a part', async () => {
    const on = await scene();
    await on.there.put(on.from, 'second');
    const upload = await on.here.upload(on.to);
    const { body } = await on.here.copyPart(upload, on.from);
    expect((await on.here.complete(upload, [element(body, 'ETag')])).outcome).toBe('200');
    expect(await on.copied()).toBe('second');
  });

  test('sent to an offline tier, which leaves its revision', async () => {
    const on = await scene();
    on.wire.around = async ({ method }, run) => {
      if (method === 'copy') throw new StoreError('archived', { call: 'copy' });
      if (method === 'head') return { ...((await run()) as object), archived: true };
      return run();
    };
    expect((await on.copy()).outcome).toBe('403 InvalidObjectState');
    expect(on.calls()).toEqual(['copy', 'head']);
  });
});
