import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FieldTable } from '../../../src/manifest/records/fields.ts';
import { RECORD_FIELDS } from '../../../src/manifest/records/record-fields.ts';
import { PART_FIELDS } from '../../../src/manifest/records/upload-part-record.ts';
import { UPLOAD_FIELDS } from '../../../src/manifest/records/upload-record.ts';
import { CLAIM_FIELDS } from '../../../src/manifest/versions/upload-claim.ts';
import { COMPLETION_FIELDS } from '../../../src/manifest/versions/upload-tombstone.ts';

const PAGE = join(import.meta.dirname, '../../../docs/records.md');

const INTRODUCTION = `# Fields of the records

Made from the field tables (\`src/manifest/records/record-fields.ts\` and those beside it) by
\`npx vitest run test/unit/house/record-fields.test.ts --update\`; do not edit.

Records are JSON in printable ASCII, in the metadata of blobs. Which blobs there are says
[record 0003](decisions/0003-layout-and-records.md); why records are tables says
[record 0022](decisions/0022-floors-and-records.md). Each text begins with \`v\`, the format: 1, or 2 for what is
encrypted under a key of its own (\`en\`). A release that reads a higher one, or a kind that it does not know, refuses the
record. A field that it does not know it keeps, and writes it back wherever it writes the record anew.
`;

const TABLES: readonly { readonly title: string; readonly about: string; readonly table: FieldTable }[] = [
  {
    title: 'Object record',
    about: [
      "`s3gw` on a head or on a version's own blob. Beside the fields: `k`, the kind (`l` link, `m` assembled, `t` marker, `v` void;",
      'absent: inline, which holds the object itself), and `s`, the seq: a hybrid clock in microseconds that decides the place',
      'among versions. Fields that spill move to the blob `o/<sha256>` when record and user metadata come within 512 bytes of',
      'what the cloud takes.',
    ].join('\n'),
    table: RECORD_FIELDS,
  },
  { title: 'Open upload', about: '`s3gw` on `u/<bucket uid>/<key>!!<upload id>`.', table: UPLOAD_FIELDS },
  { title: 'Part', about: '`s3gw` on `p/<upload id>/n/<number>`.', table: PART_FIELDS },
  {
    title: 'Claim',
    about:
      "`s3up` on the private blob that an upload's parts were assembled to. A claim to abort has the first three fields only.",
    table: CLAIM_FIELDS,
  },
  { title: 'How an upload ended', about: '`s3gw` on `c/<upload id>`.', table: COMPLETION_FIELDS },
];

describe('the page of the records', () => {
  it('says what the field tables say', async () => {
    await expect([INTRODUCTION, ...TABLES.map(section)].join('\n')).toMatchFileSnapshot(PAGE);
  });

  it.each(TABLES)('no two fields have one code: $title', ({ table }) => {
    const codes = Object.values(table).map(({ code }) => code);
    expect(new Set([...codes, 'v']).size).toBe(codes.length + 1);
  });
});

function section({ title, about, table }: (typeof TABLES)[number]): string {
  const rows = Object.entries(table).map(([name, { code, meaning, absent, ...more }]) => {
    const spills = 'spills' in more ? '; may spill' : '';
    const uncopied = 'uncopied' in more ? '; a copy has what its own request says' : '';
    return `| \`${code}\` | ${name} | ${meaning}${spills}${uncopied} | ${absent} |`;
  });
  return [`## ${title}\n`, `${about}\n`, '| Code | Field | Meaning | Absent |', '|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}
