import type { RuleId } from './rules.ts';

/** A test by its file and title, as they are written. */
interface Place {
  readonly file: string;
  readonly title: string;
}

const ACL = {
  canned: 'test/wire/acl/canned-acls-and-grants.test.ts',
  documents: 'test/wire/acl/documents.test.ts',
  objects: 'test/wire/acl/objects.test.ts',
};
const ERRORS = 'test/wire/gateway/errors.test.ts';
const LOCK = {
  writing: 'test/wire/object-lock/writing.test.ts',
  deletion: 'test/wire/object-lock/deletion.test.ts',
};
const OWNERSHIP = 'test/wire/access/ownership.test.ts';
const VERSIONS = {
  addressing: 'test/wire/versions/addressing.test.ts',
  copySource: 'test/wire/versions/copy-source.test.ts',
  deleteMarkers: 'test/wire/versions/delete-markers.test.ts',
  deletion: 'test/wire/versions/deletion.test.ts',
  writing: 'test/wire/versions/writing.test.ts',
};

function at(file: string, ...titles: readonly string[]): readonly Place[] {
  return titles.map((title) => ({ file, title }));
}

/** Rules that tests of something larger show. */
export const ELSEWHERE: Readonly<Partial<Record<RuleId, readonly Place[]>>> = {
  'common.error-body': at(ERRORS, 'form, ids, extras and the very end'),
  'acl.put.canned': at(ACL.canned, 'canned ACLs'),
  'acl.put.canned-unknown': at(ACL.canned, 'no-such'),
  'acl.put.bucket-owner': at(ACL.canned, 'bucket-owner ones let the owner of the bucket at objects of others'),
  'acl.put.grants': at(ACL.canned, 'grant headers'),
  'acl.put.grants-malformed': at(ACL.canned, 'grant headers'),
  'acl.put.canned-and-grants': at(ACL.documents, 'with a canned ACL and grants'),
  'acl.put.header-and-body': at(ACL.documents, 'with a canned ACL and a body', 'with grants and a body'),
  'acl.put.nothing': at(ACL.documents, 'with nothing'),
  'acl.put.body': at(ACL.documents, 'no owner element', 'no list', 'nobody', 'several'),
  'acl.put.body-malformed': at(
    ACL.documents,
    'not XML',
    'another document',
    'no list',
    'an unknown permission',
    'an unknown type',
    'no type',
  ),
  'acl.put.grantee-forms': at(ACL.documents, 'an account', 'a group', 'an e-mail address'),
  'acl.put.type-child': at(ACL.documents, 'a Type child'),
  'acl.put.email': at(ACL.documents, 'an e-mail address'),
  'acl.put.email-unknown': at(ACL.documents, 'an unknown e-mail address'),
  'acl.put.email-ambiguous': at('test/unit/access/acl/resolve-grant.test.ts', 'an address of two accounts'),
  'acl.put.id-unknown': at(ACL.documents, 'an unknown id', 'an unknown group'),
  'acl.put.owner': at(ACL.documents, 'another owner'),
  'acl.put.limit': at(
    ACL.documents,
    'more than 100 grants',
    '100 grants are stored, and spill from the metadata of the blob',
  ),
  'acl.put.permissions': at(ACL.canned, 'grant headers'),
  'acl.put.digest': at(ACL.documents, 'with a wrong digest', 'with no digest at all'),
  'acl.put.public-block': at(OWNERSHIP, 'BlockPublicAcls'),
  'acl.put.keeps': at(ACL.objects, 'keeps bytes, ETag, Last-Modified and metadata when its ACL changes'),
  'common.etag': at(ACL.objects, 'keeps bytes, ETag, Last-Modified and metadata when its ACL changes'),
  'acl.get.document': at(ACL.documents, 'names owner and grantees with their types'),

  'part-copy.object-size': at('test/unit/manifest/uploads/upload-plan.test.ts', 'more than 5 TiB'),
  'version.id.form': [
    ...at(VERSIONS.addressing, 'versionId of %s'),
    ...at(VERSIONS.copySource, 'UploadPartCopy of version "%s": %s'),
  ],
  'version.id.unknown': [
    ...at(VERSIONS.addressing, 'versionId of %s'),
    ...at(VERSIONS.copySource, 'UploadPartCopy of version "%s": %s'),
  ],
  'version.id.null': at(VERSIONS.addressing, '%s: null names the null version', 'a null version that is not there'),
  'version.current': at(
    VERSIONS.addressing,
    'what belongs to a version',
    'says which version it is about, in buckets that ever had versions',
  ),
  'version.said': at(VERSIONS.addressing, 'says which version it is about, in buckets that ever had versions'),
  'version.hidden': at(VERSIONS.addressing, 'which version there is, is told only to those who may list'),
  'version.copy.enabled': at(VERSIONS.writing, '%s: names its version where it has an id'),
  'version.copy.suspended': at(
    VERSIONS.writing,
    '%s: names its version where it has an id',
    '%s: takes the place of the null version where versioning is suspended',
  ),
  'version.source.named': at(VERSIONS.copySource, '%s: current or by its id; said unless it is the null version'),
  'version.source.latest': at(VERSIONS.copySource, '%s: current or by its id; said unless it is the null version'),
  'version.source.restore': at(VERSIONS.copySource, 'an older version onto its own key brings it back'),
  'version.source.marker': [
    ...at(VERSIONS.deleteMarkers, 'that is current: %s is %s'),
    ...at(VERSIONS.copySource, 'UploadPartCopy of a delete marker'),
  ],
  'version.source.marker-named': [
    ...at(VERSIONS.deleteMarkers, 'by its id, as a source'),
    ...at(VERSIONS.copySource, 'UploadPartCopy of a delete marker'),
  ],
  'version.part.destination': at(VERSIONS.deleteMarkers, 'does not hinder an upload in parts'),
  'version.marker.acl': at(VERSIONS.deleteMarkers, 'that is current: %s is %s', 'by its id: %s is 405'),
  'version.marker.tags': at(VERSIONS.deleteMarkers, 'that is current: %s is %s', 'by its id: %s is 405'),
  'version.delete.marker': at(VERSIONS.deletion, 'enabled: a marker, also where nothing was'),
  'version.delete.suspended': at(
    VERSIONS.deletion,
    'suspended: a null marker takes the place of the null version, and of nothing else',
  ),
  'version.delete.named': at(VERSIONS.deletion, '%s: a version by its id goes for good, any number of times'),
  'version.delete.marker-named': at(VERSIONS.deletion, '%s: the last marker uncovers what was below it'),
  'version.delete.if-match': at(VERSIONS.deletion, '%s: If-Match', 'If-Match with a version is judged on that version'),
  'version.delete.permission': at(VERSIONS.deletion, 'for good is for the owner of the bucket alone'),
  'lock.copy': at(
    LOCK.writing,
    'makes an object that is locked',
    'makes one with a hold that is off, and one without a word',
  ),
  'lock.copy.wrong': at(LOCK.writing, '%s refuses'),
  'lock.copy.without': at(LOCK.writing, '%s in a bucket without object lock'),
  'lock.copy.never': at(LOCK.writing, 'a copy has no lock of its source'),
  'lock.delete.named': at(LOCK.deletion, 'of a version under %s with %j: %s, current or not'),
  'lock.delete.marker': at(LOCK.deletion, 'without a version makes a marker; the locked version stays below it'),
  'lock.delete.bypass': at(
    LOCK.deletion,
    'of a version under %s with %j: %s, current or not',
    'of the null version, which was there before',
  ),
  'lock.delete.bypass-permission': at(LOCK.deletion, 'bypassing takes a permission, whoever may write'),
  'lock.delete.bypass-without': at(LOCK.deletion, 'with the bypass header in a bucket without object lock'),
};
