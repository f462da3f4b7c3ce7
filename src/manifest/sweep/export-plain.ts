import type { Call } from '../../observe/call.ts';
import type { BlobEntry } from '../../store/blob-store.ts';
import { isStoreError } from '../../store/store-error.ts';
import { blobsOf } from '../../store/pages.ts';
import type { Bucket } from '../records/bucket.ts';
import type { Backend, Realm } from '../buckets/realm.ts';
import { noncesAmended } from '../heads/head-commit.ts';
import { type Head, contentHeadersOf, parseHead, sameContentHeaders } from '../heads/head.ts';
import { canSettle, settle } from '../versions/settle.ts';
import { redo } from '../versions/displace.ts';
import { stampVersion } from '../versions/stamp.ts';
import { newNonce } from '../records/clock.ts';
import { codecOf, keyOfHead } from '../records/names.ts';
import { linkMetadata } from '../heads/overflow.ts';
import { nativeIn } from '../records/metadata.ts';
import type { HeadRecord, LinkHead, AssembledHead, MarkerHead } from '../records/record.ts';
import { versionRef } from '../records/version-names.ts';
import { takeCensus } from './census.ts';
import {
  type BucketExport,
  type Export,
  type ExportReport,
  exportReport,
  type ExportSettings,
  requirePlain,
} from './bucket-export.ts';
import { exportVersions } from './export-versions.ts';
import { headOfKey } from '../heads/heads-of-keys.ts';
import { Tally } from './sweep-report.ts';
import { SWEEP_DEFAULTS, SweepRun } from './sweep-run.ts';
import { SYSTEM_TIME } from '../records/time.ts';

/** Times a copy is sent anew because tags were set on the version meanwhile. */
const MAX_SENDS = 3;

interface ExportOptions {
  readonly realm: Realm;
  readonly backends: readonly Backend[];
  readonly settings: ExportSettings;
  readonly now?: () => number;
}

/**
 * Makes a plain blob of every current object, at its key: so that the tools of the cloud see all bytes without the
 * gateway. For S3 clients nothing changes, and the gateway may go on serving: a head keeps what it says of its version,
 * and has the version's bytes besides. Each object is one server-side copy on the revision of its head; what is done is
 * recognised by its size, so a broken-off export is simply started again.
 */
export async function exportPlain(options: ExportOptions, call: Call): Promise<ExportReport> {
  const { now = SYSTEM_TIME.now, settings, realm } = options;
  const startedAt = now();
  const done: BucketExport[] = [];
  let complete = true;
  try {
    for (const backend of options.backends) {
      const run = new SweepRun(
        { ...SWEEP_DEFAULTS, dryRun: settings.dryRun, concurrency: settings.concurrency },
        backend,
        startedAt,
      );
      const { buckets } = await takeCensus(run, (name) => realm.backendOf(name) === backend, call);
      for (const bucket of buckets) {
        if (settings.bucket !== undefined && bucket.name !== settings.bucket) continue;
        const one: BucketExport = { run, bucket, tally: new Tally<Export>(), settings };
        done.push(one);
        await run.step(one.tally, 'objects', () => exportBucket(one, call));
        await run.step(one.tally, 'versions', () => exportVersions(one, call));
      }
    }
  } catch (error) {
    if (!isStoreError(error, 'aborted') && !call.signal.aborted) throw error;
    complete = false;
  }
  return exportReport(done, { startedAt, finishedAt: now(), complete });
}

/** Both regions of names: a plain listing from the beginning would run across the escaped one. */
async function exportBucket(one: BucketExport, call: Call): Promise<void> {
  const { run, bucket, tally, settings } = one;
  const codec = codecOf(run.store);
  const { plain, escaped } = codec.prefixes(settings.prefix);
  for (const prefix of [plain, escaped]) {
    if (prefix === undefined) continue;
    for await (const page of run.pages(bucket.home.container, { prefix }, call)) {
      const entries = blobsOf(page).filter(({ name }) => codec.isEscapedRegion(name) === (prefix === escaped));
      await run.each(entries, (entry) => run.step(tally, entry.name, () => exportHead(one, entry, call)));
    }
  }
}

async function exportHead(one: BucketExport, entry: BlobEntry, call: Call): Promise<void> {
  const { run, bucket, tally, settings } = one;
  const head = parseHead({ container: bucket.home.container, name: entry.name }, entry);
  const key = keyOfHead(run.store, entry.name, head.record);
  if (!key?.startsWith(settings.prefix)) return;
  const { record } = head;
  requirePlain(record);
  switch (record?.kind) {
    case 'assembled':
      return run.act(tally, { finding: 'settled', name: key }, () => settleNow(bucket, { key, head, record }, call));
    case 'link':
      if (head.properties.size !== record.size) {
        await run.act(tally, { finding: 'copied', name: key, bytes: record.size }, () =>
          fillHead(bucket, { key, head, record }, call),
        );
      }
      return;
    case 'marker':
      if (settings.dropMarkers) {
        await run.act(tally, { finding: 'markers', name: key }, () => dropMarker(bucket, { key, head, record }, call));
      }
      return;
    default:
  }
}

async function settleNow(bucket: Bucket, { key, head, record }: KeyHead<AssembledHead>, call: Call): Promise<boolean> {
  if (!canSettle(bucket, record.size)) throw tooLarge(bucket, { key, head, record });
  await settle({ bucket, key }, call);
  return (await headOfKey(bucket, key, call))?.record?.kind !== 'assembled';
}

interface KeyHead<R extends HeadRecord> {
  readonly key: string;
  readonly head: Head;
  readonly record: R;
}

/** Says where the bytes lie, so that a tool of the cloud can copy them. */
function tooLarge(bucket: Bucket, { key, record }: KeyHead<LinkHead | AssembledHead>, cause?: unknown): Error {
  const { version, size } = record;
  const { container, name } = versionRef({ bucket, key }, version);
  return new Error(`${size} bytes are too many for one copy inside the service: they stay at ${container}/${name}`, {
    cause,
  });
}

/**
 * The head remains a link to a version and gets the version's bytes.
 * @throws StoreError conditionFailed: it has moved
 */
async function fillHead(bucket: Bucket, { key, head, record }: KeyHead<LinkHead>, call: Call): Promise<void> {
  const { home } = bucket;
  const ref = versionRef({ bucket, key }, record.version);
  for (let sends = 1; ; sends++) {
    const { revision, size, md5, metadata: own, ...source } = await home.store.head(ref, call);
    const metadata = linkMetadata(home, { ...record, ...noncesAmended(head, newNonce()) }, nativeIn(own));
    const condition = { kind: 'match', revision: head.properties.revision } as const;
    const headers = contentHeadersOf(head.properties);
    const sameHeaders = sameContentHeaders(headers, source);
    try {
      const request = {
        source: { ...ref, revision },
        size,
        headers,
        metadata,
        condition,
        sameHeaders,
        ...(md5 !== undefined && { md5 }),
      };
      await home.store.copy(head.ref, request, call);
      return;
    } catch (error) {
      if (isStoreError(error, 'tooLarge')) throw tooLarge(bucket, { key, head, record }, error);
      if (!isStoreError(error, 'sourceConditionFailed') || sends === MAX_SENDS) throw error;
    }
  }
}

/**
 * What only the head says must be recorded elsewhere before the head is removed: the work in its log is done, and the
 * marker's own blob is stamped as part of the history. A null version is known through the head alone, so that head
 * stays.
 */
async function dropMarker(bucket: Bucket, { key, head, record }: KeyHead<MarkerHead>, call: Call): Promise<boolean> {
  const { version: token, nullVersion, isNull } = record;
  if (nullVersion !== undefined) return false;
  await redo({ bucket, key }, head, call);
  if (isNull !== true) await stampVersion({ bucket, key }, token, call);
  await bucket.home.store.remove(head.ref, head.properties.revision, call);
  return true;
}
