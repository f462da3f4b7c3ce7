import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Principal } from '../../../src/access/accounts.ts';
import { decide } from '../../../src/access/authorize.ts';
import { parsePolicy } from '../../../src/access/policy/parse.ts';
import { NO_REQUEST } from '../../../src/access/request-keys.ts';

/*
 * The policies that the documentation hands out are read here as it prints them: each is free of faults, and decides as
 * the text beside it says.
 */
const TEXT = readFileSync(resolve(import.meta.dirname, '../../../docs/identities.md'), 'utf8');
const section = (title: string): string => TEXT.split(`\n### ${title}`)[1]?.split('\n### ')[0]?.split('\n## ')[0] ?? '';
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, block = '']) => block);

/** Everything in a fragment of a configuration that is a policy. */
function policiesIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return 'Statement' in value ? [value] : Object.values(value).flatMap(policiesIn);
}

const WRITTEN = blocks(TEXT, 'yaml').flatMap((block) => policiesIn(parse(block)));

describe('policies in the documentation', () => {
  it.each([...blocks(TEXT, 'json'), ...WRITTEN.map((policy) => JSON.stringify(policy))])(
    'are free of faults: %s',
    (text) => {
      expect(parsePolicy(text, 'identity').faults).toBeUndefined();
    },
  );

  it('are found', () => {
    expect(blocks(TEXT, 'json').length).toBeGreaterThanOrEqual(3);
    expect(WRITTEN.length).toBeGreaterThanOrEqual(1);
  });
});

interface Asked {
  readonly action: string;
  readonly bucket: string;
  readonly key?: string;
  readonly prefix?: string;
}

/** What a user may do who has the one policy of a recipe, in buckets of its account. */
function isAllowed(recipe: string, { action, bucket, key, prefix }: Asked): boolean {
  const { document } = parsePolicy(blocks(section(recipe), 'json')[0] ?? '', 'identity');
  if (document === undefined) throw new Error(`no policy in ${recipe}`);
  const account = {
    name: 'main',
    canonicalId: 'c',
    accountNumber: '111122223333',
    displayName: 'main',
    email: 'main@example.com',
  };
  const user = {
    name: 'app',
    arn: 'arn:aws:iam::111122223333:user/app',
    id: 'AIDAAPP',
    permissions: [{ name: recipe, document }],
  };
  const principal: Principal = { kind: 'account', account, user, accessKeyId: 'K' };
  const owned = { name: bucket, ownerId: 'c', settings: {} };
  const says = { get: (name: string) => (name === 's3:prefix' ? prefix : undefined) };
  return decide(
    principal,
    action,
    { bucket: owned, ...(key !== undefined && { key, object: { ownerId: 'c' } }), says },
    NO_REQUEST,
  ).allowed;
}

describe('recipes', () => {
  it.each<[string, string, string, string | undefined, boolean]>([
    ['GitLab', 's3:GetObject', 'gitlab-artifacts', 'a/b', true],
    ['GitLab', 's3:PutObject', 'gitlab-artifacts', 'a/b', true],
    ['GitLab', 's3:DeleteObject', 'gitlab-artifacts', 'a/b', true],
    ['GitLab', 's3:GetObject', 'gitlab-artifacts-2', 'a/b', false],
    ['GitLab', 's3:ListBucket', 'gitlab-artifacts', undefined, false],
    ['GitLab', 's3:DeleteBucket', 'gitlab-artifacts', undefined, false],
    ['Polaris', 's3:GetObject', 'warehouse', 'ns/t/data/f.parquet', true],
    ['Polaris', 's3:GetObjectVersion', 'warehouse', 'ns/t/data/f.parquet', true],
    ['Polaris', 's3:DeleteObject', 'warehouse', 'ns/t/metadata/v1.json', true],
    ['Polaris', 's3:GetBucketLocation', 'warehouse', undefined, true],
    ['Polaris', 's3:GetObject', 'other', 'ns/t', false],
    ['Polaris', 's3:PutBucketPolicy', 'warehouse', undefined, false],
    ['Kubeflow', 's3:ListBucket', 'mlpipeline', undefined, true],
    ['Kubeflow', 's3:GetObject', 'mlpipeline', 'artifacts/team-a/run/x', true],
    ['Kubeflow', 's3:PutObject', 'mlpipeline', 'v2/artifacts/team-a/run/x', true],
    ['Kubeflow', 's3:GetObject', 'mlpipeline', 'artifacts/team-b/run/x', false],
    ['Kubeflow', 's3:PutObject', 'mlpipeline', 'v2/artifacts/team-ab/x', false],
    ['Kubeflow', 's3:DeleteObject', 'mlpipeline', 'pipelines/x', false],
  ])('%s: %s of %s %s: %s', (...[recipe, action, bucket, key, expected]) => {
    expect(isAllowed(recipe, { action, bucket, ...(key !== undefined && { key }) })).toBe(expected);
  });

  it('Polaris lists with a prefix only', () => {
    const listing = { action: 's3:ListBucket', bucket: 'warehouse' };
    expect(isAllowed('Polaris', { ...listing, prefix: 'ns/t/' })).toBe(true);
    expect(isAllowed('Polaris', listing)).toBe(false);
  });
});
