/** Most regions that are remembered. Clients of one service sign for a few. */
const MAX_REGIONS = 64;
/** Also what is no region of AWS: some clients sign for the name of the host, some for none at all. */
const REGION = /^[A-Za-z0-9._-]{0,64}$/;

/**
 * Where clients may sign for any region: the regions for which a client has signed with a right secret. Signing keys
 * are kept for these regions only. Otherwise a stranger could push out the keys of others by making up names of
 * regions. It makes no difference whether the access key exists, so that the time of an answer does not tell.
 */
export class OtherRegions {
  readonly #proven = new Set<string>();

  static isRegion(name: string): boolean {
    return REGION.test(name);
  }

  has(region: string): boolean {
    return this.#proven.has(region);
  }

  /** Notes the region of a signature that was right. */
  prove(region: string): void {
    if (this.#proven.size < MAX_REGIONS) this.#proven.add(region);
  }
}
