import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = 'src/manifest';

/**
 * Who calls the store to remove something, and what. Blobs of versions go through `versions/remove-blob.ts`, which asks
 * for grounds.
 */
const REMOVERS: Readonly<Record<string, string>> = {
  'sweep/sweep-buckets.ts': 'records of buckets that were deleted, past the grace',
  'heads/pieces.ts': 'encrypted bytes that no record names any more, or none ever did',
  'lifecycle/pass-reports.ts': 'reports of passes over buckets that are gone, or have no rules any more',
  'objects/object-remove.ts': 'heads of keys, judged by the guard of the request',
  'versions/remove-blob.ts': 'blobs of versions, on grounds',
  'versions/remove-version.ts': 'voids',
  'sweep/export-plain.ts': 'delete markers at keys, when asked for',
  'sweep/sweep-heads.ts': 'voids',
  'sweep/sweep-run.ts':
    'batches: index, notes, parts, spilled records, stumps without a record, deleted buckets without what is locked',
  'sweep/sweep-uploads.ts': 'records of uploads',
  'uploads/upload-abort.ts': 'records of uploads',
  'uploads/upload-complete.ts': 'a claim that came too late',
  'uploads/upload-conclude.ts': 'a head that came too late',
  'uploads/upload-find.ts': 'records of uploads',
  'usage/usage-records.ts': 'notes of what was written before a count, and counts of buckets that are gone',
  'uploads/upload-parts.ts': 'records of parts, blobs of aborted uploads',
};

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

it('whoever removes blobs is known; a new one is asked for its grounds', () => {
  const found = files(ROOT).filter(
    (file) => !file.startsWith('buckets/') && /\bstore\.remove(?:Many)?\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(found.filter((file) => !Object.hasOwn(REMOVERS, file))).toEqual([]);
});
