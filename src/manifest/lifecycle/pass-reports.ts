import type { Call } from '../../observe/call.ts';
import { ABSENT, at, type BlobStore, type Revision } from '../../store/blob-store.ts';
import { blobsOf, pagesOf } from '../../store/pages.ts';
import { isStoreError } from '../../store/store-error.ts';
import type { Bucket } from '../records/bucket.ts';
import {
  ALL_PASSES,
  decodePassReport,
  encodePassReport,
  type LifecyclePassReport,
  lifecycleReportName,
  uidOfReport,
} from '../records/lifecycle-record.ts';

/** Where the reports of a backend lie. */
interface ReportPlace {
  readonly store: BlobStore;
  readonly system: string;
}

/** A report, and the bucket that it is of. */
export interface KeptPassReport extends LifecyclePassReport {
  readonly uid: string;
  readonly revision: Revision;
}

/** Reads the reports of the last passes over all buckets: a list call for each thousand notes of passes. */
export async function readPassReports({ store, system }: ReportPlace, call: Call): Promise<KeptPassReport[]> {
  const found: KeptPassReport[] = [];
  try {
    for await (const page of pagesOf(store, system, { prefix: ALL_PASSES }, call)) {
      for (const { name, metadata, revision } of blobsOf(page)) {
        const uid = uidOfReport(name);
        const report = uid === undefined ? undefined : decodePassReport(metadata);
        if (uid !== undefined && report !== undefined) found.push({ uid, revision, ...report });
      }
    }
  } catch (error) {
    // Before the first bucket there is no system container.
    if (!isStoreError(error, 'containerNotFound')) throw error;
  }
  return found;
}

/** Keeps what a pass has come to, unless a later one is over already. @throws StoreError */
export async function keepPassReport(
  { uid, home: { store, system } }: Bucket,
  report: LifecyclePassReport,
  call: Call,
): Promise<void> {
  const ref = { container: system, name: lifecycleReportName({ uid }) };
  try {
    const before = await store.head(ref, call).catch((error: unknown) => {
      if (isStoreError(error, 'notFound')) return undefined;
      throw error;
    });
    const kept = before && decodePassReport(before.metadata);
    // One that is yet to begin was noted by a clock that has stepped back since.
    const isLater = kept !== undefined && kept.startedAt >= report.startedAt && kept.startedAt <= report.finishedAt;
    if (isLater) return;
    const condition = before === undefined ? ABSENT : at(before.revision);
    await store.write(ref, new Uint8Array(0), { metadata: encodePassReport(report), condition }, call);
  } catch (error) {
    // Another run has made the same pass at the same time.
    if (!isStoreError(error, 'conditionFailed')) throw error;
  }
}

/** Removes reports of buckets that are gone, or have no rules any more; not those that were written since. */
export async function forgetPassReports(
  { store, system }: ReportPlace,
  reports: readonly KeptPassReport[],
  call: Call,
): Promise<void> {
  if (reports.length === 0) return;
  const items = reports.map(({ uid, revision }) => ({ name: lifecycleReportName({ uid }), revision }));
  await store.removeMany(system, items, call);
}
