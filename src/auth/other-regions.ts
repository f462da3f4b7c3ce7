/** Regions that are remembered; clients of one service sign for a few. */
const MAX_REGIONS = 64;
const REGION = /^[A-Za-z0-9-]{1,64}$/;

/**
 * Where clients may sign for any region: those that somebody has signed for with a right secret. Keys are kept for
 * these only, so that names that strangers make up push nobody's keys out; and for keys that exist as for those that do
 * not, so that time tells nobody which is which.
 */
export class OtherRegions {
  readonly #proven = new Set<string>();

  static isRegion(name: string): boolean {
    return REGION.test(name);
  }

  has(region: string): boolean {
    return this.#proven.has(region);
  }

  /** Of a signature that was right. */
  prove(region: string): void {
    if (this.#proven.size < MAX_REGIONS) this.#proven.add(region);
  }
}
