import { join } from 'node:path';
import { expect, test } from 'vitest';
import { INSTRUMENTS, type InstrumentDeclaration, shownName } from '../../../src/observe/metrics/instruments.ts';

const PAGE = join(import.meta.dirname, '../../../docs/metrics.md');

const INTRODUCTION = `# Metrics

Made from the table of instruments (\`src/observe/metrics/instruments.ts\`) by
\`npx vitest run test/unit/house/metrics.test.ts --update\`; do not edit. How they are fetched:
[observability](observability.md#metrics).

\`operation\` is an operation of the S3 API, or \`Unknown\`; \`status\` an HTTP status, or \`none\` where a client left before
there was one; \`code\` and \`reason\` are S3's error codes; \`backend\` is the kind of backend, \`call\` what is asked of it
(\`read\`, \`write\`, \`assemble\`, ...). \`result\` is \`ok\` or why not: of a request \`4xx\`, \`5xx\` or \`client_left\`, of a call
to a backend \`notFound\`, \`conditionFailed\`, \`throttled\`, \`unavailable\` and so on. \`outcome\` is what became of a record,
an event or a change.

Those named \`s3gw_lifecycle_...\` are served by the [lifecycle command](lifecycle.md#metrics) only: there \`backend\` is the
backend's name in the configuration, \`rule\` the rule's ID, \`outcome\` is \`done\`, \`locked\`, \`changed\`, \`unmovable\` or
\`failed\`. Those of [usage and quotas](usage.md) name backends, buckets and accounts by their names, too; \`kind\` is
\`bucket\` or \`account\`.
`;

const TYPES: Readonly<Record<InstrumentDeclaration['kind'], string>> = {
  counter: 'counter',
  observedCounter: 'counter',
  histogram: 'histogram',
  gauge: 'gauge',
};

test('the page of metrics says what the table of instruments says', async () => {
  const lines = Object.entries<InstrumentDeclaration>(INSTRUMENTS).map(([name, declaration]) => {
    const labels = declaration.labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${shownName(name, declaration)}\` | ${TYPES[declaration.kind]} | ${labels} | ${declaration.help} |`;
  });
  await expect(
    [INTRODUCTION, '| Name | Type | Labels | Meaning |', '|---|---|---|---|', ...lines, ''].join('\n'),
  ).toMatchFileSnapshot(PAGE);
});
