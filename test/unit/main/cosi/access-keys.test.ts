import { expect, test } from 'vitest';
import { KEY } from '../../../../config/schema-identities.ts';
import { deriveAccessKey } from '../../../../src/main/cosi/access-keys.ts';

const SEED = 'seed-for-tests-only-'.padEnd(40, '0');

test('a user has the same key each time, in the form that the configuration takes', () => {
  const key = deriveAccessKey(SEED, 'team', 'cosi-ba-1');
  expect(key).toEqual(deriveAccessKey(SEED, 'team', 'cosi-ba-1'));
  expect(key.accessKeyId).toMatch(/^COSI[A-Z2-7]{16}$/);
  expect(key.secretAccessKey).toMatch(/^[\w-]{40}$/);
  expect(KEY.safeParse(key).success).toBe(true);
});

test('keys of other users, accounts and seeds have nothing in common', () => {
  const keys = [
    deriveAccessKey(SEED, 'team', 'cosi-ba-1'),
    deriveAccessKey(SEED, 'team', 'cosi-ba-2'),
    deriveAccessKey(SEED, 'other', 'cosi-ba-1'),
    deriveAccessKey(`${SEED}0`, 'team', 'cosi-ba-1'),
    // What is parted by nothing could be parted elsewhere.
    deriveAccessKey(SEED, 'teamc', 'osi-ba-1'),
  ];
  const texts = keys.flatMap(({ accessKeyId, secretAccessKey }) => [accessKeyId, secretAccessKey]);
  expect(new Set(texts).size).toBe(texts.length);
});
