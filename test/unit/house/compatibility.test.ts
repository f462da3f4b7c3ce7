import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UNSET_CONFIGURATIONS } from '../../../src/operations/bucket/settings/unset-configuration.ts';
import { OPERATIONS } from '../../../src/operations/index.ts';
import { parametersOf } from '../../../src/protocol/operation-parameters.ts';
import { OPERATION_TABLE, type OperationRow } from '../../../src/protocol/operation-table.ts';

const PAGE = join(import.meta.dirname, '../../../docs/compatibility.md');

const INTRODUCTION = `# Operations of the S3 API

Made from the operation table (\`src/protocol/operation-table.ts\`) by
\`npx vitest run test/unit/house/compatibility.test.ts --update\`; do not edit.

\`yes\`: built. \`unset\`: the setting cannot be made yet, so reading it answers what S3 answers for a bucket on which it
was never made, and deleting it does nothing. \`not yet\`: answers 501 NotImplemented; a later release has it. \`never\`:
answers 501 NotImplemented and will go on doing so. Anonymous requests for either are 403 AccessDenied.
`;

const PARAMETERS = `## Headers and parameters

Of operations that are answered: what has an effect, what is accepted without one, and what is refused (501
NotImplemented). Headers that HTTP and signatures need, the names that decide which operation it is, and those of the
address are left out. What the S3 API does not know is ignored.

| Operation | Counts | Without effect | Refused |
|---|---|---|---|`;

test('the compatibility page says what the operation table says', async () => {
  const built = OPERATION_TABLE.filter((row) => row.name in OPERATIONS && !(row.name in UNSET_CONFIGURATIONS)).length;
  const parts = [INTRODUCTION, `${built} of ${OPERATION_TABLE.length} operations are built.\n`];
  for (const level of ['service', 'bucket', 'object', 'control'] as const) parts.push(section(level));
  parts.push(PARAMETERS, ...OPERATION_TABLE.filter((row) => row.name in OPERATIONS).map(parameterLine), '');
  await expect(parts.join('\n')).toMatchFileSnapshot(PAGE);
});

function section(level: OperationRow['level']): string {
  const rows = OPERATION_TABLE.filter((row) => row.level === level);
  const lines = rows.map((row) => `| ${row.name} | \`${requestOf(row)}\` | ${stateOf(row)} |`);
  return [
    `## ${level.charAt(0).toUpperCase()}${level.slice(1)}\n`,
    '| Operation | Request | Built |',
    '|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}

function parameterLine(row: OperationRow): string {
  const { counts, ignored, refused } = parametersOf(row);
  const cell = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(' ');
  return `| ${row.name} | ${cell(counts)} | ${cell(ignored)} | ${cell(refused)} |`;
}

function requestOf({ level, method, match }: OperationRow): string {
  const path = { service: '/', bucket: '/bucket', object: '/bucket/key', control: '/v20180820/tags/arn' }[level];
  const further =
    match.query === undefined ? undefined : match.value === undefined ? match.query : `${match.query}=${match.value}`;
  const query = [match.subresource, further].filter((part) => part !== undefined).join('&');
  return `${method} ${path}${query === '' ? '' : `?${query}`}${match.header === undefined ? '' : ` (${match.header})`}`;
}

function stateOf(row: OperationRow): string {
  if (row.name in UNSET_CONFIGURATIONS) return 'unset';
  if (row.name in OPERATIONS) return 'yes';
  return row.notImplementedHint === undefined ? 'not yet' : 'never';
}
