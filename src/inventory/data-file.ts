import type { InventoryRow } from './report-columns.ts';

/** One file of a report, in memory until it is stored. */
export interface DataFile {
  readonly rows: number;
  /** What it takes so far, compressed; what waits to be compressed is not counted. */
  readonly bytes: number;
  add(rows: readonly InventoryRow[]): Promise<void>;
  /** The whole file. Nothing is added any more. */
  finish(): Promise<Buffer>;
  /** Gives up what is there. */
  discard(): void;
}
