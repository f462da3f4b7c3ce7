/** What was read, and what it must still be for a replacement. */
export interface PlacedText {
  /** Empty: nothing was written yet. */
  readonly text: string;
  readonly version: string;
}

/**
 * Where the document of managed accounts lies. It is replaced by compare-and-swap, by any number of processes.
 * All methods throw a `PlaceError` when the place does not answer before the signal ends them, or is not there.
 */
export interface DocumentPlace {
  /** For people. */
  readonly label: string;
  /** A mark of what lies there: another one after each replacement. Costs little. */
  version(signal: AbortSignal): Promise<string>;
  read(signal: AbortSignal): Promise<PlacedText>;
  /**
   * @param text another one than all that were written before
   * @param from version that was read
   * @returns the version of the new one; undefined: others have replaced it since it was read
   */
  replace(text: string, from: string, signal: AbortSignal): Promise<string | undefined>;
}

/** The place does not answer, or is not there. The message holds nothing of the document. */
export class PlaceError extends Error {
  /** The replacement may have been made. */
  readonly lost: boolean;

  constructor(
    message: string,
    { lost = false, cause }: { readonly lost?: boolean | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'PlaceError';
    this.lost = lost;
  }
}
