/** What other people's servers do otherwise than the service, and which tests of the port's contract cannot pass there for it. */

type Deviations = Readonly<Record<string, string>>;

/** One reason for several tests. */
function because(reason: string, tests: readonly string[]): Deviations {
  return Object.fromEntries(tests.map((test) => [test, reason]));
}

/** fake-gcs-server v1.56.1 */
export const FAKE_GCS_DEVIATIONS: Deviations = {
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
    '20 assembles of the same parts on absent: one succeeds',
  ]),
  ...because('compose of a source that is missing answers 500', [
    'an unknown token: partsGone, nothing made',
    'one unknown token among good ones: partsGone, and the good ones stay',
  ]),
  ...because('preconditions are ignored on rewrite', [
    'stagePartFrom a changed source: sourceConditionFailed; a missing one: sourceNotFound',
    'copy of a source that is gone or changed leaves the target',
    'copy on a condition of the target',
    '20 copies on absent: one succeeds',
  ]),
  ...because('a rewrite keeps content headers of the source that the new resource does not name', [
    'copy gives the target the bytes of the source, and headers, metadata and md5 of its own',
  ]),
  ...because('prefixes are not counted towards maxResults', [
    'startAt and pages of one',
    'pages of any size give what one page gives',
  ]),
  ...because('the XML API answers a missing bucket with 404 and no document', [
    'read, write and list without the container: containerNotFound',
  ]),
};

/** gcsemulator v1.0.0 */
export const GCSEMULATOR_DEVIATIONS: Deviations = {
  ...because('buckets appear by themselves, have no time and are not listed', [
    'a container made is there, with the time of its making',
    'a container cannot be made twice',
    '20 creations of one container: one succeeds',
    'listContainers names all containers, in pages',
    'read, write and list without the container: containerNotFound',
    'copy and stagePart into a missing container: containerNotFound',
    'removeMany without the container fails, as a whole or item by item',
    'ping answers',
  ]),
  ...because('reads answer content headers only in part, no custom metadata and no hashes', [
    'head and read give the properties that were written',
  ]),
  ...because('preconditions are ignored on reads', [
    'a read pinned to a revision gives that revision or fails',
    'a blob made again does not have the revision that it had before',
  ]),
  ...because('ranges are ignored: 200 with the whole object', [
    'ranges: first, middle, last, open end, whole',
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
  ...because('preconditions are ignored on rewrite, and its resource too', [
    'stagePartFrom a changed source: sourceConditionFailed; a missing one: sourceNotFound',
    'copy gives the target the bytes of the source, and headers, metadata and md5 of its own',
    'copy onto itself replaces headers and metadata',
    'copy of a source that is gone or changed leaves the target',
    'copy on a condition of the target',
    '20 copies on absent: one succeeds',
  ]),
};
