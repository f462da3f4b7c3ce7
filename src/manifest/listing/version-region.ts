import type { BlobEntry, ListEntry } from '../../store/blob-store.ts';
import { decodeOrdered, encodeOrdered } from '../../store/key-codec.ts';
import type { Bucket } from '../records/bucket.ts';
import { codecOf } from '../records/names.ts';
import { decodeRecord, RECORD_NAME } from '../records/record.ts';
import { parseVersionName, versionRef, versionsFrom, versionsPrefix, versionsUnder } from '../records/version-names.ts';
import { TOKEN_LENGTH } from '../records/version-token.ts';
import type { ListingRequest } from './listing-entry.ts';
import type { DecodedEntry, Region } from './listing-region.ts';
import type { Call } from '../../observe/call.ts';
import type { RegionReader } from './region-reader.ts';

/**
 * The versions' own blobs of a bucket: each entry is a version of its key, or what may become one; newest first within
 * a key.
 */
export function versionsRegion(
  bucket: Bucket,
  { prefix, delimiter }: Pick<ListingRequest, 'prefix' | 'delimiter'>,
): Region {
  const native = versionsUnder(bucket, prefix);
  const rollsUp =
    codecOf(bucket.home.store).delimiterWorksEscaped(delimiter) &&
    native === versionsPrefix(bucket) + encodeOrdered(prefix);
  return {
    container: bucket.home.system,
    isEscaped: true,
    prefix: native,
    delimiter: rollsUp ? delimiter : undefined,
    startAt: (key) => {
      const start = versionsFrom({ bucket, key });
      if (start.startsWith(native)) return start;
      return start < native ? native : undefined;
    },
    decode: (entry) => decode(bucket, entry),
    beneath: (under) => versionsRegion(bucket, { prefix: under, delimiter: '' }),
  };
}

function decode(bucket: Bucket, entry: ListEntry): DecodedEntry | undefined {
  if (entry.kind === 'prefix') {
    const key = decodeOrdered(entry.name.slice(versionsPrefix(bucket).length));
    return key === undefined ? undefined : { key };
  }
  const parsed = parseVersionName(bucket, entry.name);
  if (parsed === undefined) return undefined;
  if (parsed.key !== undefined) return { key: parsed.key, blob: entry, token: parsed.token };
  const key = trueKey(bucket, entry);
  if (key === undefined) return undefined;
  const encoded = entry.name.slice(0, -('!!'.length + TOKEN_LENGTH));
  return { key, blob: entry, token: parsed.token, unorderedStem: encoded.slice(0, encoded.lastIndexOf('!')) };
}

function trueKey(bucket: Bucket, { name, metadata }: BlobEntry): string | undefined {
  const key = decodeRecord(metadata[RECORD_NAME] ?? '')?.key;
  return key !== undefined && key !== '' && versionRef({ bucket, key }, name.slice(-TOKEN_LENGTH)).name === name
    ? key
    : undefined;
}

/** A region that is merged with others: what was read of it and not taken yet. */
export class RegionQueue {
  readonly region: Region;
  readonly reader: RegionReader;
  #entries: readonly DecodedEntry[] = [];
  #at = 0;

  constructor(region: Region, reader: RegionReader) {
    this.region = region;
    this.reader = reader;
  }

  peek(): DecodedEntry | undefined {
    return this.#entries[this.#at];
  }

  shift(): DecodedEntry | undefined {
    return this.#entries[this.#at++];
  }

  /** Without more of it the next key is unknown. */
  get isLacking(): boolean {
    return this.peek() === undefined && !this.reader.isDone;
  }

  /** @returns how many entries the call gave */
  async read(ask: number, call: Call): Promise<number> {
    const { entries, size } = await this.reader.read(ask, call);
    this.#entries = entries;
    this.#at = 0;
    return size;
  }
}
