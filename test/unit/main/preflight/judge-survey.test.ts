import { describe, expect, test } from 'vitest';
import { MemoryBlobStore } from '../../../../adapters/memory/memory-blob-store.ts';
import { judgeClock, judgeSurvey, judgeTiers } from '../../../../src/main/preflight/judge-survey.ts';
import { storageClassesOf } from '../../../../src/main/storage-classes.ts';
import type { LifecycleRule, StoreSurvey } from '../../../../src/store/survey.ts';

const GOOD: StoreSurvey = {
  region: 'EUROPE-WEST4',
  redundancy: 'region',
  hierarchicalNamespace: false,
  softDeleteDays: 0,
  versioning: false,
  lifecycle: [],
  retentionSeconds: 0,
};

function levels(survey: StoreSurvey): string[] {
  return judgeSurvey(survey).map(({ level }) => level);
}

function found(changes: Partial<StoreSurvey>): string[] {
  return judgeSurvey({ ...GOOD, ...changes })
    .filter(({ level }) => level !== 'ok')
    .map(({ level, check }) => `${level} ${check}`);
}

describe('what an account says of itself', () => {
  test('all is well', () => {
    expect(levels(GOOD)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  });

  test('what cannot be seen is noted, and no failure', () => {
    expect(new Set(levels({}))).toEqual(new Set(['note']));
    expect(judgeSurvey({}).every(({ advice }) => advice !== undefined)).toBe(true);
  });

  test.each<[Partial<StoreSurvey>, string[]]>([
    [{ hierarchicalNamespace: true }, ['fail hierarchical namespace']],
    [{ softDeleteDays: 7 }, ['warn soft delete']],
    [{ versioning: true }, ['warn versioning of the cloud']],
    [{ retentionSeconds: 60 }, ['fail retention policy']],
  ])('%j', (changes, expected) => {
    expect(found(changes)).toEqual(expected);
  });

  test.each<[string, LifecycleRule, string[]]>([
    ['deletes anything', { action: 'delete', prefixes: [], days: 365 }, ['fail lifecycle rules']],
    ['deletes versions', { action: 'delete', prefixes: ['v/'], days: 365 }, ['fail lifecycle rules']],
    ['deletes parts and more', { action: 'delete', prefixes: ['~parts/', 'u/'], days: 30 }, ['fail lifecycle rules']],
    ['deletes parts too soon', { action: 'delete', prefixes: ['~parts/'], days: 1 }, ['fail lifecycle rules']],
    ['deletes old parts', { action: 'delete', prefixes: ['~parts/'], days: 30 }, []],
    ['moves to a colder class', { action: 'changeTier', prefixes: [], days: 30 }, ['warn lifecycle rules']],
    ['ends uploads of others', { action: 'abortUploads', prefixes: [], days: 1 }, []],
  ])('a rule that %s', (_name, rule, expected) => {
    expect(found({ lifecycle: [rule] })).toEqual(expected);
  });
});

describe('tiers of storage classes', () => {
  const store = new MemoryBlobStore();
  const classes = storageClassesOf({ storageClasses: { tiers: {}, buckets: [] } }, {}, store);
  const told = (survey: StoreSurvey, more: Partial<Parameters<typeof judgeTiers>[1]> = {}): string[] =>
    judgeTiers(survey, { store, ...(classes && { classes }), ...more }).map(
      ({ level, detail }) => `${level}: ${detail}`,
    );

  test('that the account keeps, lacks, or does not tell', () => {
    expect(told({ tiers: ['hot', 'cool', 'cold', 'archive'] })).toEqual(['ok: the account keeps all of them']);
    expect(told({ tiers: ['hot', 'cool', 'cold'] })).toEqual([
      'warn: the account cannot keep GLACIER, DEEP_ARCHIVE in their tiers',
    ]);
    expect(told({})[0]).toMatch(/^note: /);
  });

  test('and encryption scopes, which cannot be archived', () => {
    const found = told({ tiers: ['hot', 'cool', 'cold', 'archive'] }, { kmsKeys: new Map([['k', 'scope']]) });
    expect(found.map((line) => line.slice(0, 4))).toEqual(['ok: ', 'note']);
  });

  test('nothing where classes are labels', () => {
    expect(judgeTiers({}, { store })).toEqual([]);
  });
});

describe('the clock', () => {
  test.each([
    [0, 'ok'],
    [2000, 'ok'],
    [-2000, 'ok'],
    [45_000, 'warn'],
    [-45_000, 'warn'],
    [20 * 60_000, 'fail'],
    [-20 * 60_000, 'fail'],
  ])('%d ms away', (skew, level) => {
    const now = Date.now();
    expect(judgeClock({ sent: now - 50, received: now + 50, service: now + skew }).level).toBe(level);
  });
});
