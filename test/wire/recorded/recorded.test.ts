import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { World } from '../spec/world.ts';
import { ANSWERS } from './answers.ts';
import { CONDITIONS } from './conditions.ts';
import { METADATA } from './metadata.ts';
import { PRESIGNED } from './presigned.ts';
import type { RecordedRow } from './row.ts';
import { REFUSALS } from './refusals.ts';
import { SELF_COPIES } from './self-copies.ts';

/*
 * What S3 itself answered, as far as the gateway once answered otherwise. The differences that stay are in
 * docs/deviations.md.
 */
const ROWS: readonly RecordedRow[] = [
  ...REFUSALS,
  ...METADATA,
  ...ANSWERS,
  ...CONDITIONS,
  ...PRESIGNED,
  ...SELF_COPIES,
];

describe.each(BACKENDS)('as S3 answered, over %s', (name) => {
  let cloud: Cloud;
  let world: World;

  beforeAll(async () => {
    cloud = await startCloud(name);
    world = await World.open({}, cloud.open());
  }, 180_000);

  afterAll(async () => {
    await world.close();
    await cloud.stop();
  });

  test.each(ROWS)('$what ($source)', async ({ ask, expected }) => {
    expect(await ask(world, await world.bucket())).toEqual(expected);
  });
});
