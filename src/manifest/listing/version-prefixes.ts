import type { Call } from '../../observe/call.ts';
import type { Bucket } from '../records/bucket.ts';
import type { PageSoFar, Looked } from './key-history.ts';
import type { ListedPrefix, ListingRequest } from './listing-entry.ts';
import type { Region } from './listing-region.ts';
import { PrefixJudge } from './prefix-judge.ts';
import { holdsSurvivor } from './survivors.ts';

const MAX_CALLS = 12;

/**
 * Rolled-up prefixes of a listing of versions. A delete marker is a version: only heads without any version do not
 * count.
 */
export class VersionPrefixes {
  readonly #bucket: Bucket;
  readonly #judge: PrefixJudge;

  constructor(bucket: Bucket, request: ListingRequest) {
    this.#bucket = bucket;
    this.#judge = new PrefixJudge(bucket, request);
  }

  /** Something beneath it was seen. */
  sure(prefix: string): PageSoFar {
    return draft(prefix, listed(prefix));
  }

  /**
   * There are heads, but no versions' own blobs: perhaps all that is left are heads of keys whose last version was
   * deleted.
   */
  withHeads(prefix: string, region: Region): PageSoFar {
    return draft(prefix, async (call) => {
      const mayBeEmpty = await this.#judge.mayHideIn(prefix, call);
      const holds =
        !mayBeEmpty ||
        (await this.#judge.holds(region, { prefix, counts: ({ record }) => record?.kind !== 'void' }, call));
      return holds ? listed(prefix) : 'nothing';
    });
  }

  /** There are versions' own blobs, but no heads: mostly what is about to become a version. */
  withoutHeads(prefix: string): PageSoFar {
    return draft(prefix, async (call) =>
      (await holdsSurvivor(this.#bucket, { prefix, maxCalls: MAX_CALLS }, call)) ? listed(prefix) : 'nothing',
    );
  }
}

function listed(prefix: string): ListedPrefix {
  return { kind: 'prefix', key: prefix };
}

function draft(prefix: string, found: ListedPrefix | ((call: Call) => Promise<Looked>)): PageSoFar {
  return { position: { key: prefix }, found };
}
