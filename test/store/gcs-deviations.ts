/**
 * What other people's servers do otherwise than the service, and which tests of the port's contract cannot pass there
 * for it.
 */

type Deviations = Readonly<Record<string, string>>;

/** One reason for several tests. */
function because(reason: string, tests: readonly string[]): Deviations {
  return Object.fromEntries(tests.map((test) => [test, reason]));
}

/** fake-gcs-server v1.56.1 */
export const FAKE_GCS_DEVIATIONS: Deviations = {
  ...because('buckets have no labels', [
    'a container keeps the owner it was made with, in its head and in the list',
    'of 20 owners at once one has the container',
  ]),
  ...because('preconditions are ignored on delete', [
    'remove on a revision: removes that one only',
    'removeMany: an outcome for each item, in order',
    'writes, changes of metadata and removes on one revision: one succeeds',
  ]),
  ...because('preconditions are ignored on patch, and objects have no metageneration', [
    'setMetadata on a stale revision: conditionFailed; on a missing blob: notFound or conditionFailed',
    'a change of metadata makes the revision before it stale for write and remove',
    '20 setMetadata on one revision: one succeeds',
    'setMetadata replaces all metadata and changes the revision; bytes, headers and md5 stay',
  ]),
  ...because('preconditions are ignored on reads', [
    'a read pinned to a revision gives that revision or fails',
    'a blob made again does not have the revision that it had before',
  ]),
  ...because('preconditions are ignored on compose', [
    'assemble on a condition that fails leaves the blob, and the parts for another try',
    'assemble on a stale revision: conditionFailed, and blob and parts stay',
    '20 assembles of the same parts on absent: one succeeds',
  ]),
  ...because('compose of a source that is missing answers 500', [
    'an unknown token: partsGone, nothing made',
    'one unknown token among good ones: partsGone, and the good ones stay',
  ]),
  ...because('preconditions are ignored on rewrite', [
    'stagePartFrom a changed source: sourceConditionFailed; a missing one: sourceNotFound',
    'copy of a source that is gone or changed leaves the target',
    'copy of an empty source that is gone or changed does nothing',
    'a copy that fails, for whatever reason, leaves the name free',
    'copy on a condition of the target',
    '20 copies on absent: one succeeds',
  ]),
  ...because('a rewrite keeps content headers of the source that the new resource does not name', [
    'copy gives the target headers of its own, or does nothing',
  ]),
  ...because('prefixes are not counted towards maxResults', [
    'startAt and pages of one',
    'pages of any size give what one page gives',
  ]),
  ...because('the XML API answers a missing bucket with 404 and no document', [
    'read, write and list without the container: containerNotFound',
  ]),
  ...because('keys of customers are ignored', [
    'a blob under a key is read with no other, and not without',
    'a blob under no key is not read with one',
  ]),
  ...because('reads do not say the storage class', [
    'a blob lies in the tier that its write names, and says so',
    'an assembled blob lies in the tier that its assembly names',
  ]),
  ...because('a rewrite keeps the storage class of the source', [
    'a copy lies in the tier that it names, also one onto itself',
  ]),
};

/** gcsemulator v1.0.0 */
export const GCSEMULATOR_DEVIATIONS: Deviations = {
  ...because('storage classes are ignored: everything is STANDARD', [
    'a blob lies in the tier that its write names, and says so',
    'a copy lies in the tier that it names, also one onto itself',
    'an assembled blob lies in the tier that its assembly names',
    'a change of metadata leaves the tier',
    'an archived blob cannot be changed where its bytes are offline, and can be removed',
  ]),
  ...because('buckets appear by themselves, have no time and are not listed', [
    'a container made is there, with the time of its making',
    'a container cannot be made twice',
    'a container keeps the owner it was made with, in its head and in the list',
    'of 20 owners at once one has the container',
    '20 creations of one container: one succeeds',
    'listContainers names all containers, in pages',
    'read, write and list without the container: containerNotFound',
    'copy and stagePart into a missing container: containerNotFound',
    'removeMany without the container fails, as a whole or item by item',
    'ping answers',
  ]),
  ...because('reads answer content headers only in part, no custom metadata and no hashes', [
    'head and read give the properties that were written',
    'a Cache-Control like the default of a service is told where it was set',
  ]),
  ...because('preconditions are ignored on reads', [
    'a read pinned to a revision gives that revision or fails',
    'a blob made again does not have the revision that it had before',
  ]),
  ...because('ranges are ignored: 200 with the whole object', [
    'ranges: first, middle, last, open end, whole',
    'a blob under a key is read with that key, whole and in part',
    'ranges: an end beyond the blob is clipped',
    'ranges: the properties are of the whole blob',
    'stagePartFrom takes the whole of a blob, or a range, beside parts that were sent',
    'an assembled blob is a blob like others: read by range, given metadata, removed',
  ]),
  ...because('startOffset is ignored', [
    'startAt is inclusive',
    'startAt a name that was never stored',
    'startAt with a prefix: before it, within it, behind it',
    'startAt inside a rolled-up prefix lists that prefix',
    'startAt and pages of one',
    'odd names are kept as they are, and read, listed and removed by them',
  ]),
  ...because('a page that ends between a name and its prefix loses rows', [
    'pages of any size give what one page gives',
  ]),
  ...because('a bucket that is not empty is deleted', [
    'removing a container takes everything in it, or fails and leaves everything',
  ]),
  ...because('preconditions are ignored on rewrite, and its resource too', [
    'stagePartFrom a changed source: sourceConditionFailed; a missing one: sourceNotFound',
    'copy keeps the headers and md5 of the source, with metadata of its own',
    'copy gives the target headers of its own, or does nothing',
    'a copy that fails, for whatever reason, leaves the name free',
    'copy onto itself replaces headers and metadata',
    'copy of a source that is gone or changed leaves the target',
    'copy of an empty source that is gone or changed does nothing',
    'copy on a condition of the target',
    '20 copies on absent: one succeeds',
  ]),
  ...because('keys of customers are ignored', [
    'a blob under a key is read with no other, and not without',
    'a blob under no key is not read with one',
  ]),
};

/** fake-gcs-server v1.56.1 on the wire (`gcs-contract.ts`). */
export const FAKE_GCS_WIRE_DEVIATIONS: Deviations = {
  ...because('deleting a bucket that is not empty answers 412', ['a bucket that is not empty is not deleted: 409']),
  ...because('there is no soft delete', ['soft delete is on unless it is turned off']),
  ...because('any name is taken, for buckets and for objects', [
    'names that are no bucket names: 400',
    'names that the service refuses: 400',
  ]),
  ...because('hashes in headers are not checked', ['x-goog-hash and Content-MD5 that do not fit: 400']),
  ...because('metadata has no limit', ['custom metadata above 8 KiB: refused']),
  ...because('a question ends a resumable upload, overlaps are appended, a cancelled upload goes on', [
    'resumable: asked how far it has come',
    'resumable: bytes that are sent again are skipped',
    'resumable: cancelled is gone',
  ]),
  ...because('there is no metageneration', [
    'ifMetagenerationMatch on an upload',
    'an XML read answers the metageneration',
    'a patch answers the new metageneration',
  ]),
  ...because('preconditions are ignored on delete, patch, reads, compose and rewrite', [
    'delete on a generation and on a metageneration',
    'each deletion of a batch has conditions of its own',
    'patch on a generation and on a metageneration',
    '20 patches at once of one metageneration: one wins',
    'reads on a generation and on a metageneration: 412, or 304 for the opposite',
    'XML reads on a generation and on a metageneration: 412',
    'compose on a generation of the destination, and of a source',
    '20 composes at once with ifGenerationMatch=0: one wins',
    'rewrite on conditions of source and destination',
    '20 rewrites at once with ifGenerationMatch=0: one wins',
  ]),
  ...because('the XML API answers 404 without a document', [
    'what does not exist: 404 with a document that says what is missing',
  ]),
  ...because('null in a patch stores an empty value', [
    'a patch merges metadata; null removes a key; the generation stays',
  ]),
  ...because('composed objects are like others', ['a composed object has a componentCount and no md5Hash']),
  ...because('compose of a source that is missing answers 500', [
    'compose of a source that is missing: 404, nothing made',
  ]),
  ...because('a rewrite keeps content headers of the source that the new resource does not name', [
    'rewrite across buckets, with a resource that replaces all fields',
  ]),
  ...because('a rewrite is always done at once', ['rewrite in several calls, each with the token of the one before']),
  ...because('prefixes are not counted towards maxResults', ['pages: prefixes count']),
};

/** gcsemulator v1.0.0 on the wire. */
export const GCSEMULATOR_WIRE_DEVIATIONS: Deviations = {
  ...because('buckets appear by themselves, are not listed and have no settings', [
    'a bucket is made once',
    'the list of buckets, by prefix',
    'a bucket that is not empty is not deleted: 409',
    'soft delete is on unless it is turned off',
    'a bucket that does not exist: 404',
    'an empty listing has no items',
  ]),
  ...because('any name is taken', ['names that are no bucket names: 400', 'names that the service refuses: 400']),
  ...because('paths of the XML API are cleaned up: two slashes become one', [
    'odd names are kept as they are: written, read by both APIs, patched, listed, deleted',
  ]),
  ...because('there is no crc32c, and hashes in headers are not checked', [
    'a media upload answers generation, metageneration, md5Hash and crc32c',
    'a crc32c in the resource that does not fit: 400',
    'x-goog-hash and Content-MD5 that do not fit: 400',
  ]),
  ...because('metadata has no limit', ['custom metadata above 8 KiB: refused']),
  ...because('resumable uploads of several chunks are broken', [
    'resumable: chunks answer 308 with what is there, the last one the object',
    'resumable: asked how far it has come',
    'resumable: bytes that are sent again are skipped',
    'resumable: cancelled is gone',
    'resumable: the condition of the start is judged at the end',
  ]),
  ...because('preconditions and generations are ignored on reads', [
    'reads on a generation and on a metageneration: 412, or 304 for the opposite',
    'XML reads on a generation and on a metageneration: 412',
    'generation= reads the current one, and no other',
  ]),
  ...because('ranges are ignored', ['ranges: first bytes, open end, clipped end', 'ranges: past the end: 416']),
  ...because('reads answer content headers only in part, no custom metadata and no hashes', [
    'an XML read answers bytes, content headers, hashes, generations and custom metadata together',
  ]),
  ...because('the XML API answers errors as JSON', [
    'what does not exist: 404 with a document that says what is missing',
  ]),
  ...because('null in a patch stores an empty value', [
    'a patch merges metadata; null removes a key; the generation stays',
  ]),
  ...because('composed objects have no componentCount', ['a composed object has a componentCount and no md5Hash']),
  ...because('preconditions are ignored on rewrite, and its resource too; it is always done at once', [
    'rewrite across buckets, with a resource that replaces all fields',
    'rewrite on conditions of source and destination',
    '20 rewrites at once with ifGenerationMatch=0: one wins',
    'rewrite in several calls, each with the token of the one before',
  ]),
  ...because('startOffset is ignored', ['startOffset is inclusive, endOffset is not']),
  ...because('batches are refused, with 400 or 500', [
    'a batch of deletions is answered in order, each by its id',
    'each deletion of a batch has conditions of its own',
    'what is no batch is refused',
  ]),
};
