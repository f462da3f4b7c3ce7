import { PLAUSIBLE_MD5 } from './null-blobs.ts';

/** What the null backend remembers of an object of Cloud Storage: everything but large bodies. */
export interface NullObject {
  readonly name: string;
  readonly size: number;
  /** The bytes, if they were few. */
  readonly body: Buffer | undefined;
  readonly generation: number;
  readonly metageneration: number;
  /** Put together of others: such have no MD5. */
  readonly isComposed: boolean;
  readonly said: Said;
}

/** What a client says of an object. */
export interface Said {
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string | null>>;
}

export const CREATED = '2025-11-01T12:00:00.000Z';

/** Objects by bucket and name, both decoded. */
export class NullObjects {
  readonly #buckets = new Map<string, Map<string, NullObject>>();
  /** Made once and kept until something changes. */
  #pages = new Map<string, string>();
  #generation = 1_760_000_000_000_000;

  get buckets(): Iterable<string> {
    return this.#buckets.keys();
  }

  hasBucket(bucket: string): boolean {
    return this.#buckets.has(bucket);
  }

  addBucket(bucket: string): void {
    this.#buckets.set(bucket, new Map());
  }

  removeBucket(bucket: string): void {
    this.#buckets.delete(bucket);
  }

  get(bucket: string, name: string): NullObject | undefined {
    return this.#buckets.get(bucket)?.get(name);
  }

  /** New data under a name. */
  put(bucket: string, object: Omit<NullObject, 'generation' | 'metageneration'>): NullObject {
    this.#generation += 1;
    const made = { ...object, generation: this.#generation, metageneration: 1 };
    this.#set(bucket, made);
    return made;
  }

  /** Other words about data that stay. */
  amend(bucket: string, object: NullObject, said: Said): NullObject {
    const made = { ...object, metageneration: object.metageneration + 1, said };
    this.#set(bucket, made);
    return made;
  }

  #set(bucket: string, object: NullObject): void {
    const objects = this.#buckets.get(bucket);
    const known = objects?.get(object.name);
    objects?.set(object.name, object);
    // A page may show an older generation: kept while an object is written again as it was.
    if (known?.size !== object.size || !isSame(known.said, object.said)) this.#pages.clear();
  }

  remove(bucket: string, name: string): void {
    this.#pages.clear();
    this.#buckets.get(bucket)?.delete(name);
  }

  /** https://cloud.google.com/storage/docs/json_api/v1/objects/list, without delimiter. */
  page(bucket: string, query: URLSearchParams): string {
    const key = `${bucket}?${query.toString()}`;
    let page = this.#pages.get(key);
    if (page === undefined) this.#pages.set(key, (page = this.#makePage(bucket, query)));
    return page;
  }

  #makePage(bucket: string, query: URLSearchParams): string {
    const from = query.get('pageToken') ?? query.get('startOffset') ?? '';
    const prefix = query.get('prefix') ?? '';
    const limit = Number(query.get('maxResults') ?? 1000);
    const found = [...(this.#buckets.get(bucket)?.values() ?? [])]
      .filter(({ name }) => name.startsWith(prefix) && name >= from)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const nextPageToken = found[limit]?.name;
    const items = found.slice(0, limit).map(resourceOf);
    return JSON.stringify({ kind: 'storage#objects', items, ...(nextPageToken !== undefined && { nextPageToken }) });
  }
}

function isSame(one: Said | undefined, other: Said): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
}

/** The fields that the adapter asks for, with their values as the JSON API spells them. */
export function resourceOf({ name, size, generation, metageneration, isComposed, said }: NullObject): object {
  return {
    name,
    size: String(size),
    generation: String(generation),
    metageneration: String(metageneration),
    timeCreated: CREATED,
    ...(!isComposed && { md5Hash: PLAUSIBLE_MD5 }),
    contentType: said.contentType ?? 'application/octet-stream',
    ...(Object.keys(said.metadata ?? {}).length > 0 && { metadata: said.metadata }),
  };
}
