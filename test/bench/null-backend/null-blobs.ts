/** What the null backend remembers of a blob: everything but large bodies. */
export interface NullBlob {
  readonly size: number;
  /** The bytes, if they were few. */
  readonly body: Buffer | undefined;
  readonly etag: string;
  /** Base64. The service computes none of a blob that is put together from blocks. */
  readonly md5: string | undefined;
  /** Header lines that every answer about the blob repeats, each with its line end. */
  readonly lines: string;
  /** Names and values of `x-ms-meta-*`, for listings. */
  readonly metadata: readonly (readonly [string, string])[];
}

/** Blobs by container and name, both as they stand in the target (percent-encoded). */
export class NullBlobs {
  readonly #containers = new Map<string, Map<string, NullBlob>>();
  readonly #staged = new Map<string, Map<string, number>>();
  #pages = new Map<string, string>();
  #etag = 0;

  hasContainer(container: string): boolean {
    return this.#containers.has(container);
  }

  addContainer(container: string): void {
    if (!this.#containers.has(container)) this.#containers.set(container, new Map());
  }

  removeContainer(container: string): boolean {
    return this.#containers.delete(container);
  }

  get containers(): Iterable<string> {
    return this.#containers.keys();
  }

  get(container: string, name: string): NullBlob | undefined {
    return this.#containers.get(container)?.get(name);
  }

  set(container: string, name: string, blob: NullBlob): void {
    const blobs = this.#containers.get(container);
    const known = blobs?.get(name);
    blobs?.set(name, blob);
    // A page shows sizes and metadata: kept only while a blob is written again as it was.
    if (known?.size !== blob.size || known.lines !== blob.lines) this.#pages.clear();
  }

  remove(container: string, name: string): boolean {
    this.#pages.clear();
    return this.#containers.get(container)?.delete(name) === true;
  }

  nextEtag(): string {
    this.#etag += 1;
    return `"0x8DC${this.#etag.toString(16).toUpperCase().padStart(12, '0')}"`;
  }

  stage(container: string, name: string, blockId: string, size: number): void {
    const key = `${container}/${name}`;
    let blocks = this.#staged.get(key);
    if (blocks === undefined) this.#staged.set(key, (blocks = new Map<string, number>()));
    blocks.set(blockId, size);
  }

  /** Ids and sizes of the blocks that are not part of the blob; undefined when there are none. */
  staged(container: string, name: string): ReadonlyMap<string, number> | undefined {
    return this.#staged.get(`${container}/${name}`);
  }

  /** Bytes of the named blocks together; undefined when one is missing. */
  assemble(container: string, name: string, blockIds: readonly string[]): number | undefined {
    const blocks = this.#staged.get(`${container}/${name}`);
    let size = 0;
    for (const id of blockIds) {
      const block = blocks?.get(id);
      if (block === undefined) return undefined;
      size += block;
    }
    this.#staged.delete(`${container}/${name}`);
    return size;
  }

  /** List Blobs without delimiter: the page is made once and kept until something changes. */
  page(container: string, query: URLSearchParams): string {
    const key = `${container}?${query.toString()}`;
    let page = this.#pages.get(key);
    if (page === undefined) this.#pages.set(key, (page = this.#makePage(container, query)));
    return page;
  }

  #makePage(container: string, query: URLSearchParams): string {
    const from = query.get('marker') ?? query.get('startFrom') ?? '';
    const prefix = query.get('prefix') ?? '';
    const limit = Number(query.get('maxresults') ?? 5000);
    // What does not begin so as it stands does not begin so when it is decoded: most names are passed over. Some
    // clients encode the slash of a name.
    const start = /^[\w.-]*/.exec(prefix)?.[0] ?? '';
    const found = [...(this.#containers.get(container) ?? [])]
      .filter(([name]) => name.startsWith(start))
      .map(([name, blob]) => [decodeURIComponent(name), blob] as const)
      .filter(([name]) => name.startsWith(prefix) && name >= from)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const next = found[limit]?.[0] ?? '';
    const blobs = found.slice(0, limit).map(([name, blob]) => blobElement(name, blob));
    return `<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>${blobs.join('')}</Blobs><NextMarker>${escapeXml(next)}</NextMarker></EnumerationResults>`;
  }
}

function blobElement(name: string, blob: NullBlob): string {
  const metadata = blob.metadata.map(([key, value]) => `<${key}>${escapeXml(value)}</${key}>`).join('');
  return (
    `<Blob><Name>${escapeXml(name)}</Name><Properties><Creation-Time>${MODIFIED}</Creation-Time><Last-Modified>${MODIFIED}</Last-Modified>` +
    `<Etag>${blob.etag.slice(1, -1)}</Etag><Content-Length>${blob.size}</Content-Length><Content-Type>application/octet-stream</Content-Type>` +
    `<Content-Encoding /><Content-Language /><Content-CRC64 />${blob.md5 === undefined ? '<Content-MD5 />' : `<Content-MD5>${blob.md5}</Content-MD5>`}<Cache-Control /><Content-Disposition />` +
    '<BlobType>BlockBlob</BlobType><AccessTier>Hot</AccessTier><AccessTierInferred>true</AccessTierInferred><LeaseStatus>unlocked</LeaseStatus>' +
    `<LeaseState>available</LeaseState><ServerEncrypted>true</ServerEncrypted></Properties><Metadata>${metadata}</Metadata><OrMetadata /></Blob>`
  );
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (found) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[found] ?? found);
}

/** Not computed: the MD5 of a real service costs the gateway nothing, so it costs nothing here. */
export const PLAUSIBLE_MD5 = 'MTIzNDU2Nzg5MGFiY2RlZg==';
export const MODIFIED = 'Sat, 01 Nov 2025 12:00:00 GMT';
