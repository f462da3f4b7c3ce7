import type { VersionsEntry } from '../listing/listing.ts';
import { storageClassOf } from '../records/storage-classes.ts';
import type { ClassUsage, UsageCount } from '../records/usage-record.ts';

/** Classes that are told apart. S3 has about a dozen; tools of the clouds can write any text into a record. */
const MAX_CLASSES = 20;
const OTHER = 'OTHER';

type Draft<T> = { -readonly [Field in keyof T]: T[Field] };

/** Adds up what lies in a bucket. */
export class UsageTally {
  readonly #classes: Map<string, Draft<ClassUsage>>;
  #markers: number;
  #uploads: number;
  #parts: number;
  #partBytes: number;

  /** @param before what was counted by now */
  constructor({ classes, markers, uploads, parts, partBytes }: UsageCount) {
    this.#classes = new Map(classes.map((one) => [one.storageClass, { ...one }]));
    this.#markers = markers;
    this.#uploads = uploads;
    this.#parts = parts;
    this.#partBytes = partBytes;
  }

  entry(entry: VersionsEntry): void {
    if (entry.kind === 'marker') this.#markers += 1;
    if (entry.kind !== 'version') return;
    const usage = this.#of(storageClassOf(entry));
    const { isLatest, size } = entry;
    usage[isLatest ? 'currentObjects' : 'noncurrentObjects'] += 1;
    usage[isLatest ? 'currentBytes' : 'noncurrentBytes'] += size;
  }

  upload(parts: readonly { readonly size: number }[]): void {
    this.#uploads += 1;
    this.#parts += parts.length;
    for (const { size } of parts) this.#partBytes += size;
  }

  get count(): UsageCount {
    return {
      classes: [...this.#classes.values()].sort(standardFirst),
      markers: this.#markers,
      uploads: this.#uploads,
      parts: this.#parts,
      partBytes: this.#partBytes,
    };
  }

  #of(storageClass: string): Draft<ClassUsage> {
    const known = this.#classes.get(storageClass);
    if (known !== undefined) return known;
    if (this.#classes.size >= MAX_CLASSES && storageClass !== OTHER) return this.#of(OTHER);
    const added = { storageClass, currentObjects: 0, currentBytes: 0, noncurrentObjects: 0, noncurrentBytes: 0 };
    this.#classes.set(storageClass, added);
    return added;
  }
}

function standardFirst(a: ClassUsage, b: ClassUsage): number {
  const rank = ({ storageClass }: ClassUsage): string => (storageClass === 'STANDARD' ? '' : storageClass);
  return rank(a) < rank(b) ? -1 : 1;
}
