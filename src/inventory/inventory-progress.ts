import type { PassProgress } from '../manifest/index.ts';

/** So many fit into the 64 KiB that are kept of a pass: 110 bytes each, and 8 KiB for the longest key as JSON. */
export const MAX_FILES = 500;

/** A data file of a report, in its destination. */
export interface StoredFile {
  /** Of its key, without folder and suffix. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly md5: string;
}

/** How far a report has come: all up to a place is in data files that are stored. */
export interface InventoryProgress extends PassProgress {
  /** `rows`: the bucket is listed. `files`: all rows are stored, and the files that name them are not. */
  readonly phase: 'rows' | 'files' | 'over';
  /** Tells configurations apart. */
  readonly configuration: string;
  /** Key and version behind which the listing goes on. */
  readonly after: string;
  readonly afterVersion?: string;
  readonly rows: number;
  readonly files: readonly StoredFile[];
}

const PHASES: readonly unknown[] = ['rows', 'files', 'over'];

/** Whether JSON can be what a pass has written. */
export function isInventoryProgress(json: unknown): json is InventoryProgress {
  if (typeof json !== 'object' || json === null) return false;
  const { startedAt, phase, configuration, after, afterVersion, rows, files } = json as Partial<
    Record<keyof InventoryProgress, unknown>
  >;
  return (
    Number.isSafeInteger(startedAt) &&
    PHASES.includes(phase) &&
    typeof configuration === 'string' &&
    typeof after === 'string' &&
    (afterVersion === undefined || typeof afterVersion === 'string') &&
    Number.isSafeInteger(rows) &&
    Array.isArray(files) &&
    files.every(isStoredFile)
  );
}

function isStoredFile(json: unknown): json is StoredFile {
  const { name, size, md5 } = (json ?? {}) as Partial<Record<keyof StoredFile, unknown>>;
  return typeof name === 'string' && Number.isSafeInteger(size) && typeof md5 === 'string';
}
