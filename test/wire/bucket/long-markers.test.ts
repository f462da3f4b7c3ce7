import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { World } from '../spec/world.ts';

/** Azure refuses a start that is out of range: none is longer than names are, whatever a client says. */
describe.each(BACKENDS)('markers longer than keys, over %s', (name) => {
  const LONGEST = 'k'.repeat(1024);
  const starts: (string | undefined)[] = [];
  let cloud: Cloud;
  let world: World;

  beforeAll(async () => {
    cloud = await startCloud(name);
    const opened = cloud.open();
    const store: BlobStore = {
      ...opened,
      list: (container, request, call) => {
        starts.push(request.startAt, request.prefix);
        return opened.list(container, request, call);
      },
    };
    world = await World.open({}, store);
    await world.must('PUT', '/long');
    for (const key of ['a', LONGEST, 'z']) await world.put(`/long/${key}`);
  }, 120_000);

  afterAll(async () => {
    await world.close();
    await cloud.stop();
  });

  test.each([
    ['list-type=2&start-after=', LONGEST, ['z']],
    ['list-type=2&start-after=', `${LONGEST}k`, ['z']],
    ['list-type=2&start-after=', 'k'.repeat(3000), ['z']],
    ['list-type=2&start-after=', 'j'.repeat(3000), [LONGEST, 'z']],
    ['marker=', `${LONGEST}k`, ['z']],
    ['marker=', encodeURIComponent('\u{1f600}'.repeat(300)), []],
    ['versions=&key-marker=', `${LONGEST}k`, ['z']],
    ['prefix=', 'k'.repeat(1500), []],
    ['delimiter=k&marker=', 'k'.repeat(1500), ['z']],
  ])('%s', async (query, value, keys) => {
    starts.length = 0;
    const { body } = await world.must('GET', `/long?${query}${value}`);
    expect([...body.matchAll(/<Key>([^<]*)</g)].map(([, key]) => key)).toEqual(keys);
    for (const start of starts) expect(start?.length ?? 0).toBeLessThanOrEqual(1024);
  });
});
