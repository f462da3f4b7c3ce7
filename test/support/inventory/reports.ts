import { gunzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { parquetReadObjects } from 'hyparquet';
import { runInventories, type InventoryReport, REPORT_SIZES } from '../../../src/inventory/inventory-run.ts';
import { createRealm } from '../../../src/main/bucket-rules.ts';
import { type OpenManifest, openManifest } from '../../../src/main/manifest.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import type { Time } from '../../../src/manifest/records/time.ts';
import type { Call } from '../../../src/observe/call.ts';
import { CANONICAL_ID, OTHER_CANONICAL_ID } from '../gateway/gateway.ts';
import { testCall } from '../test-call.ts';

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const NUMBERS: ReadonlyMap<string, string> = new Map([
  [CANONICAL_ID, '444444444444'],
  [OTHER_CANONICAL_ID, '555555555555'],
]);

interface RunOptions {
  readonly time?: Time;
  readonly call?: Call;
  /** And names on a page. */
  readonly fileRows?: number;
  readonly readOnly?: string;
}

/** A process of its own over the store of a test gateway, which writes reports. */
export class ReportingProcess {
  readonly manifest: OpenManifest;
  readonly #realm: ReturnType<typeof createRealm>;

  constructor(store: BlobStore, time?: Time) {
    const backend = {
      name: 'test',
      store,
      systemContainer: 'system',
      ownerId: CANONICAL_ID,
      ...(time !== undefined && { time }),
    };
    this.#realm = createRealm([backend], [], undefined);
    this.manifest = openManifest({
      realm: this.#realm,
      bucketCacheMs: 20,
      log: QUIET,
      signal: new AbortController().signal,
      ...(time !== undefined && { time }),
    });
  }

  async run({ time, call = testCall(), fileRows, readOnly }: RunOptions = {}): Promise<InventoryReport> {
    const now = time?.now ?? Date.now;
    const report = await runInventories(
      {
        realm: this.#realm,
        backends: this.#realm.backends,
        manifest: this.manifest,
        accounts: { byCanonicalId: (id) => accountOf(id) },
        settings: { isReadOnly: (name) => name === readOnly },
        inventorySettings: {
          ...REPORT_SIZES,
          concurrency: 4,
          ...(fileRows !== undefined && { fileRows, pageNames: fileRows }),
        },
        clockOf: () => undefined,
        now,
      },
      call,
    );
    await this.manifest.settler.idle();
    return report;
  }
}

function accountOf(id: string) {
  const accountNumber = NUMBERS.get(id);
  if (accountNumber === undefined) return undefined;
  return { name: id, canonicalId: id, displayName: id, email: '', accountNumber };
}

export type ReadRow = Readonly<Record<string, unknown>>;

/** What readers make of a report that is stored. */
export interface ReadReport {
  readonly schema: string;
  readonly files: number;
  readonly rows: readonly ReadRow[];
}

/**
 * Reads a report as a client does, beginning with its checksum. @param read the bytes at a key @throws Error: it is not
 * what its manifest says
 */
export async function readReport(manifestKey: string, read: (key: string) => Promise<Buffer>): Promise<ReadReport> {
  const bytes = await read(manifestKey);
  const checksum = (await read(manifestKey.replace(/json$/, 'checksum'))).toString();
  if (checksum !== md5Of(bytes)) throw new Error('the checksum is not that of the manifest');
  const { fileFormat, fileSchema, files } = JSON.parse(bytes.toString()) as Manifest;
  const rows: ReadRow[] = [];
  for (const { key, size, MD5checksum } of files) {
    const data = await read(key);
    if (data.length !== size || md5Of(data) !== MD5checksum) throw new Error(`${key} is not what the manifest says`);
    rows.push(...(fileFormat === 'CSV' ? csvRows(data, fileSchema) : await parquetRows(data)));
  }
  return { schema: fileSchema, files: files.length, rows };
}

interface Manifest {
  readonly fileFormat: 'CSV' | 'Parquet';
  readonly fileSchema: string;
  readonly files: readonly { readonly key: string; readonly size: number; readonly MD5checksum: string }[];
}

function md5Of(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** By the names of the schema; empty texts are undefined. */
function csvRows(data: Buffer, schema: string): ReadRow[] {
  const names = schema.split(', ');
  const lines = gunzipSync(data).toString().split('\n');
  if (lines.pop() !== '') throw new Error('the last line is not ended');
  return lines.map((line) => {
    const cells = Array.from(line.matchAll(/(?:^|,)"((?:[^"]|"")*)"/g), ([, cell = '']) => cell.replaceAll('""', '"'));
    if (cells.length !== names.length || cells.map((cell) => `"${cell}"`).join(',') !== line) {
      throw new Error(`not a line of the schema: ${line}`);
    }
    return Object.fromEntries(names.map((name, at) => [name, cells[at] === '' ? undefined : cells[at]]));
  });
}

/** By the names of the columns. */
async function parquetRows(data: Buffer): Promise<ReadRow[]> {
  const file = data.buffer.slice(data.byteOffset, data.byteOffset + data.length) as ArrayBuffer;
  return parquetReadObjects({ file });
}
