import type { Call } from '../../observe/call.ts';
import { ABSENT, type BlobEntry } from '../../store/blob-store.ts';
import { blobsOf } from '../../store/pages.ts';
import { contentHeadersOf } from '../heads/head.ts';
import { type VersionBlob, isVisible, parseVersion, versionIdOf } from '../versions/version-blob.ts';
import { codecOf } from '../records/names.ts';
import { nativeIn } from '../records/metadata.ts';
import { namedVersion } from '../records/record.ts';
import { parseVersionName, versionsPrefix } from '../records/version-names.ts';
import { type BucketExport, requirePlain } from './bucket-export.ts';
import { headsOfKeys } from '../heads/heads-of-keys.ts';

/** Metadata entry of an exported version: its id (of the null version its internal name). */
const EXPORTED_AS = 's3gwversion';

interface KeyVersion extends VersionBlob {
  readonly key: string;
}

/**
 * Noncurrent versions as blobs of their own, native to the cloud: bytes, headers and user metadata, no record. Each is
 * made once.
 */
export async function exportVersions(one: BucketExport, call: Call): Promise<void> {
  const { run, bucket, tally, settings } = one;
  const { versionsUnder } = settings;
  if (versionsUnder === undefined) return;
  for await (const page of run.pages(run.system, { prefix: versionsPrefix(bucket) }, call)) {
    const listed = blobsOf(page).flatMap((entry) => toVersion(one, entry));
    const heads = await headsOfKeys(bucket, [...new Set(listed.map(({ key }) => key))], run.settings, call);
    const noncurrent = listed.filter((version) => {
      const head = heads.get(version.key);
      return (
        version.record?.kind === 'inline' && isVisible(head, version) && namedVersion(head?.record) !== version.token
      );
    });
    await run.each(noncurrent, (version) => run.step(tally, version.key, () => exportVersion(one, version, call)));
  }
}

function toVersion({ run, bucket, settings, tally }: BucketExport, entry: BlobEntry): KeyVersion[] {
  const named = parseVersionName(bucket, entry.name);
  if (named === undefined) return [];
  try {
    const version = parseVersion({ container: run.system, name: entry.name }, named.token, entry);
    const key = named.key ?? version.record?.key;
    return key?.startsWith(settings.prefix) === true ? [{ ...version, key }] : [];
  } catch (error) {
    tally.problem(entry.name, error);
    return [];
  }
}

async function exportVersion(
  { run, bucket, tally, settings }: BucketExport,
  version: KeyVersion,
  call: Call,
): Promise<void> {
  const { key, ref, properties } = version;
  requirePlain(version.record);
  // Named by its token even where S3's id is `null`, because another null version may follow.
  const { name, needsTrueKey } = codecOf(run.store).encode(`${settings.versionsUnder ?? ''}${key}/${version.token}`);
  if (needsTrueKey) {
    throw new Error(
      `version ${versionIdOf(version)} has a key that is too long to stand beneath ${settings.versionsUnder ?? ''}`,
    );
  }
  await run.act(tally, { finding: 'versions', name: key, bytes: properties.size }, () =>
    run.store.copy(
      { container: bucket.home.container, name },
      {
        source: { ...ref, revision: properties.revision },
        size: properties.size,
        headers: contentHeadersOf(properties),
        // Never empty: with empty metadata the services copy the source's, with its record.
        metadata: { ...nativeIn(properties.metadata), [EXPORTED_AS]: version.token },
        condition: ABSENT,
        sameHeaders: true,
        ...(properties.md5 !== undefined && { md5: properties.md5 }),
      },
      call,
    ),
  );
}
