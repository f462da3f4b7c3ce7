import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/operations/index.ts';
import { S3_ACTIONS } from '../../../src/access/policy/actions.ts';
import { OPERATION_TABLE, type OperationRow } from '../../../src/protocol/operation-table.ts';

const PAGE = join(import.meta.dirname, '../../../docs/actions.md');

const INTRODUCTION = `# Actions of operations

Made from the operation table (\`src/protocol/operation-table.ts\`) by
\`npx vitest run test/unit/house/permissions-page.test.ts --update\`; do not edit. What a policy has to allow for an
operation; [policies.md](policies.md) says who has to. *Of the source*: asked of the object that is copied. *Shown*:
without it the answer leaves something out.

| Operation | Action | With \`versionId\` | Besides |
|---|---|---|---|
`;
const OF = { source: ' (of the source)', shown: ' (shown)' } as const;

function line({ name, permission, versionPermission, adds }: OperationRow): string {
  const besides = adds
    .map(({ action, when, of }) => `\`${action}\`${of === undefined ? '' : OF[of]}: ${when}`)
    .join('<br>');
  return `| ${name} | \`${permission}\` | ${versionPermission === undefined ? '' : `\`${versionPermission}\``} | ${besides} |`;
}

test('the page of actions says what the operation table says', async () => {
  await expect(
    `${INTRODUCTION}${OPERATION_TABLE.filter(({ name }) => name in OPERATIONS)
      .map(line)
      .join('\n')}\n`,
  ).toMatchFileSnapshot(PAGE);
});

test('every action of the operation table is one of S3', () => {
  const actions = OPERATION_TABLE.flatMap(({ permission, versionPermission, adds }) => [
    permission,
    versionPermission ?? permission,
    ...adds.map(({ action }) => action),
  ]);
  expect([...new Set(actions)].filter((action) => !S3_ACTIONS.has(action))).toEqual(['s3express:CreateSession']);
});
