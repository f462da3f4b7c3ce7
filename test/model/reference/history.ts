import type { Content } from './content.ts';

export interface Version {
  /** `null`, or of the reference's own making. */
  readonly id: string;
  /** Greater is newer. */
  readonly order: number;
  /** Absent: a delete marker. */
  readonly content?: Content;
}

/** The versions of one key, newest first. The newest is the current one. */
export class History {
  #versions: readonly Version[] = [];
  /**
   * Place of the last version that came under a condition, or while there was no versioning: nothing may come below it
   * any more.
   */
  floor = 0;

  get versions(): readonly Version[] {
    return this.#versions;
  }

  get current(): Version | undefined {
    return this.#versions[0];
  }

  find(id: string): Version | undefined {
    return this.#versions.find((version) => version.id === id);
  }

  /** There is only ever one null version. */
  add(version: Version): void {
    this.remove(version.id);
    this.#versions = [...this.#versions, version].sort((a, b) => b.order - a.order);
  }

  remove(id: string): void {
    this.#versions = this.#versions.filter((version) => version.id !== id);
    if (this.#versions.length === 0) this.floor = 0;
  }
}
