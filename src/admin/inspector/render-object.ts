import type { Grant } from '../../protocol/acl/acl.ts';
import {
  type Head,
  type InspectedKey,
  type InspectedUpload as UploadInside,
  type InspectedVersion as VersionInside,
  namedNull,
  namedVersion,
  type ObjectView,
  type PartRecord,
} from '../../manifest/index.ts';
import { defined } from '../../observe/defined.ts';
import type { InspectedHead, ShownUpload, ShownVersion, ObjectInspection } from './object-contract.ts';

/** One key for a person to look at. */
export function inspectionOf(inspected: InspectedKey): ObjectInspection {
  const { bucket, key, head, versions, moreVersions, uploads, moreUploads } = inspected;
  return defined({
    bucket: {
      name: bucket.name,
      backend: bucket.home.backend,
      container: bucket.home.container,
      versioning: bucket.versioning,
      ownerId: bucket.ownerId,
    },
    key,
    head: head && headOf(head),
    versions: versions.map(versionOf),
    moreVersions,
    uploads: uploads.map(uploadOf),
    moreUploads,
    remarks: remarksOn(inspected),
  });
}

function headOf({ ref, properties, record }: Head): InspectedHead {
  const kind = record?.kind ?? 'inline';
  return defined({
    kind,
    blob: ref.name,
    revision: properties.revision,
    lastModified: properties.lastModified,
    blobSize: properties.size,
    native: record === undefined,
    version: namedVersion(record),
    nullVersion: namedNull(record),
    adds: record?.adds ?? [],
    dels: record?.dels ?? [],
    settle: kind === 'assembled' ? ('pending' as const) : ('none' as const),
  });
}

function versionOf(version: VersionInside): ShownVersion {
  const { versionId, isCurrent, isMarker, isVisible, isStamped, mtime, ownerId, ref, revision, claim, problem, view } =
    version;
  return defined({
    versionId,
    isCurrent,
    isDeleteMarker: isMarker,
    visible: isVisible,
    stamped: isStamped,
    claim,
    problem,
    mtime,
    ownerId,
    ...(view === undefined ? { tags: [], headers: {}, userMetadata: {} } : contentOf(view)),
    blob: defined({ ...ref, revision }),
  });
}

function contentOf(view: ObjectView): Pick<ShownVersion, 'tags' | 'headers' | 'userMetadata'> & Partial<ShownVersion> {
  const {
    size,
    etag,
    storageClass,
    acl,
    tags = [],
    lock,
    checksum,
    parts,
    headers,
    expires,
    websiteRedirect,
    userMetadata,
  } = view;
  return defined({
    size,
    etag,
    storageClass,
    acl: acl?.map(grantOf),
    tags,
    lock:
      lock &&
      defined({ mode: lock.retention?.mode, retainUntil: lock.retention?.until, legalHold: lock.legalHold === true }),
    checksum,
    parts,
    headers: defined({ ...headers, expires, websiteRedirect }),
    userMetadata,
  });
}

function grantOf({ grantee, permission }: Grant): { grantee: string; permission: string } {
  if (grantee.kind === 'owner') return { grantee: 'owner', permission };
  return { grantee: grantee.kind === 'group' ? grantee.group : grantee.id, permission };
}

function uploadOf(upload: UploadInside): ShownUpload {
  const { uploadId, becomes, claim, initiatedAt, ownerId, initiator, storageClass, checksum, parts, moreParts } =
    upload;
  return defined({
    uploadId,
    becomes,
    claim,
    initiated: initiatedAt,
    ownerId,
    initiator: initiator?.displayName,
    storageClass,
    checksum,
    parts: parts.map(partOf),
    moreParts,
  });
}

function partOf({ number, size, etag, mtime, checksum }: PartRecord): ShownUpload['parts'][number] {
  return defined({ number, size, etag, mtime, checksum: checksum && `${checksum.algorithm} ${checksum.value}` });
}

/** What may surprise a reader who compares this with what the cloud's own tools show. */
function remarksOn({ bucket, head, versions, uploads }: InspectedKey): string[] {
  const hidden = versions.filter((version) => !version.isVisible).length;
  const remarks: readonly (readonly [boolean, string])[] = [
    [
      head === undefined && versions.some((version) => version.isVisible),
      'No blob lies at the key, yet versions of it do: a tool of the cloud may have removed it.',
    ],
    [
      head !== undefined && head.record === undefined,
      'A tool of the cloud wrote the blob at the key: it has no record, and counts as the null version.',
    ],
    [
      head?.record?.kind === 'assembled',
      'The object was made of parts and its bytes have not been moved to the key yet: tools of the cloud see an empty blob there.',
    ],
    [
      head?.record?.kind === 'link',
      'The bytes of the current version lie on a blob of their own: tools of the cloud see an empty blob at the key.',
    ],
    [head?.record?.kind === 'void', 'The last version was deleted; the next sweep removes what is left.'],
    [
      (head?.record?.adds ?? []).length > 0,
      'Versions were committed below the head and may not be stamped yet: the next change of the key, or a sweep, does that.',
    ],
    [
      (head?.record?.dels ?? []).length > 0,
      'Versions were deleted whose blobs may still be there: the next change of the key, or a sweep, removes them.',
    ],
    [
      hidden > 0,
      `${hidden} of the blobs count for no reader: written and never committed, or deleted. A sweep removes them in time.`,
    ],
    [
      uploads.length > 0 && bucket.versioning === 'never',
      'Parts of open uploads take room and show in no listing of objects.',
    ],
  ];
  return remarks.filter(([applies]) => applies).map(([, text]) => text);
}
