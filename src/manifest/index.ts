/**
 * The door of the manifest: the only file of this folder that the layers above import (`.dependency-cruiser.cjs` sees
 * to it; tests may look inside). What is not named here may change without a look at the rest of the house.
 *
 * What operations call is `Manifest`. To read how it works begin with `objects/objects.ts`.
 */

// What operations call: buckets, objects, listings, uploads.
export type { Manifest } from './manifest.ts';
export type { BucketRegistry } from './buckets/buckets.ts';

// Buckets: what is asked of one, and what is known of it.
export { ENCRYPTION_TYPES } from './records/bucket.ts';
export type { Bucket, BucketEncryption, BucketSettings, EncryptionType, Versioning } from './records/bucket.ts';
export type { CreateBucketRequest } from './buckets/bucket-create.ts';
export type { BucketPage } from './buckets/bucket-list.ts';
export type { RequestedVersioning } from './buckets/bucket-amend.ts';
export { VERSIONING_JUST_ENABLED } from './versions/drain-window.ts';
export { isSameAcl } from './records/acl-code.ts';

// Objects: what is asked for one, and what is answered.
export type { KeyRef } from './records/key-ref.ts';
export type { ObjectAttributes, ObjectView } from './records/object-view.ts';
export type {
  AnyBody,
  Committed,
  CopyObjectRequest,
  EncryptWith,
  KeepApart,
  ObjectTarget,
  PutRequest,
} from './heads/object-requests.ts';
export type { Head } from './heads/head.ts';
export { NULL_VERSION } from './heads/head.ts';
export type { HeadsByKey } from './heads/heads-of-keys.ts';
export type { ObjectAmendment } from './versions/object-amendment.ts';
export { wholeChecksum } from './heads/copy-source.ts';
export { copiedFields } from './records/record-fields.ts';
export { namedNull, namedVersion, RecordFormatError } from './records/record.ts';

// Encryption with a customer's key, or a KMS key.
export type { EncryptedBy, Encryption } from './records/encryption.ts';
export { encryptedBy } from './heads/keep-apart.ts';
export { requireKey, requirePartKey } from './heads/customer-keys.ts';

// Restores of archived objects.
export { isRestored, isRestoring, RETRIEVAL_TIERS } from './records/restore.ts';
export type { Restore, RetrievalTier } from './records/restore.ts';

// Uploads in parts.
export type { Initiator, UploadChecksum, UploadContent, UploadSummary } from './records/upload-record.ts';
export type { PartRecord } from './records/upload-part-record.ts';
export type { PartCopy } from './uploads/upload-copy.ts';
export type { Upload, UploadTarget } from './uploads/upload-find.ts';
export { noSuchUpload } from './uploads/upload-find.ts';
export type { ListedUpload, UploadPage } from './uploads/upload-list.ts';
export type { ExpectedObject, ListedPart } from './uploads/upload-plan.ts';

// Listings.
export type {
  ListedEntry,
  ListedMarker,
  ListedObject,
  ListedVersion,
  ListingPage,
  VersionsEntry,
} from './listing/listing.ts';

// Taking turns at one document that several may change.
export { AGAIN, inTurns, TURNS } from './records/turns.ts';

// Putting a manifest together, over backends that main has opened.
export type { Backend, Realm } from './buckets/realm.ts';
export { storageClassOf, tierOfClass } from './records/storage-classes.ts';
export type { StorageClasses } from './records/storage-classes.ts';
export { tieredStore } from './heads/tiered-store.ts';
export { createBucketRegistry } from './buckets/buckets.ts';
export { withConfiguredNames } from './buckets/configured-names.ts';
export type { AliasOf } from './buckets/configured-names.ts';
export { auditContainers } from './buckets/container-audit.ts';
export { hiddenBuckets } from './buckets/hidden-buckets.ts';
export type { BucketNames, HiddenBucket } from './buckets/hidden-buckets.ts';
export { SYSTEM_MARK } from './buckets/container-names.ts';
export { createObjects } from './objects/objects.ts';
export { createListing } from './listing/listing.ts';
export { createUploads } from './uploads/uploads.ts';
export { guarded } from './guards.ts';
export { createClock } from './records/clock.ts';
export { SYSTEM_TIME, timeOf } from './records/time.ts';
export type { Time } from './records/time.ts';
export { headPlace } from './records/names.ts';
export { KeyQueue } from './heads/key-queue.ts';
export { CommitLife } from './heads/commit-life.ts';
export { createSettler } from './versions/settle.ts';
export type { Settler } from './versions/settle.ts';
export type { SettleBacklog } from './versions/task-queue.ts';

// The sweeper, and the export to plain blobs.
export { sweep } from './sweep/sweep.ts';
export { GRACE_MS, SWEEP_DEFAULTS } from './sweep/sweep-run.ts';
export type { SweepSettings } from './sweep/sweep-run.ts';
export { FINDINGS, hasProblems } from './sweep/sweep-report.ts';
export type { BackendReport, BucketReport, Finding, SweepReport } from './sweep/sweep-report.ts';
export { EXPORTS } from './sweep/bucket-export.ts';
export type { Export, ExportSettings } from './sweep/bucket-export.ts';
export { exportPlain } from './sweep/export-plain.ts';
export type { ExportReport } from './sweep/bucket-export.ts';

// Lifecycle rules, carried out.
export { runLifecycle } from './lifecycle/lifecycle.ts';
export type { LifecycleSettings } from './lifecycle/lifecycle.ts';
export {
  type BucketLifecycleReport,
  type LifecycleDeed,
  type LifecycleReport,
  RULE_OUTCOMES,
  type RuleCount,
} from './lifecycle/lifecycle-report.ts';
export { type KeptPassReport, readPassReports } from './lifecycle/pass-reports.ts';

// Passes over buckets, page by page.
export { BucketTurns } from './passes/bucket-turns.ts';
export type { PageWork } from './passes/bucket-turns.ts';
export type { PassKind, PassProgress } from './passes/pass-lease.ts';
export { inBackend, takeTurns, untilStopped } from './passes/pass-run.ts';
export { recordedBuckets } from './passes/recorded-buckets.ts';

// Usage: what lies in buckets, counted.
export { countUsage } from './usage/count-usage.ts';
export { MEASURES, type Quota, type QuotaOwner, type QuotaScope, snapshotOf } from './usage/quota-scope.ts';
export { type AdmittedWrite, Quotas } from './usage/quotas.ts';
export type { QuotaNotice, TellQuota } from './usage/quota-levels.ts';
export { settleLevels } from './usage/settle-levels.ts';
export type { WrittenAmount } from './usage/write-ledger.ts';
export type { UsageReport, UsageSettings } from './usage/count-usage.ts';
export { type KnownUsage, readUsage } from './usage/usage-records.ts';
export { ALL_USAGE, NO_USAGE, totalOf } from './records/usage-record.ts';
export type { ClassUsage, UsageCount } from './records/usage-record.ts';

// Events of changes: announced by the changes, sent by an outbox.
export { isWatched } from './heads/announce.ts';
export { Outbox } from './events/outbox.ts';
export { type Courier, ReceiverNotReached } from './events/courier.ts';
export type { EventTally } from './events/event-tally.ts';
export type { ObjectEvent } from './records/change-intent.ts';

// Everything that lies in the backend for one key, as the inspector shows it.
export { createObjectInspector } from './inspect/inspect-object.ts';
export type { ObjectInspector } from './inspect/inspect-object.ts';
export type { InspectedKey, InspectedUpload, InspectedVersion } from './inspect/inspected-key.ts';
