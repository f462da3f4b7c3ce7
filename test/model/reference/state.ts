import { type Answer, ANY, Refusal } from './answer.ts';
import type { LockMode, NamedVersion } from './calls.ts';
import type { Content } from './content.ts';
import { History, type Version } from './history.ts';

/** A version id that no bucket has issued, but could have. */
export const UNKNOWN_VERSION = '@unknown';

/** How a version came to be. */
interface HowAdded {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  /** Of a multipart upload: its beginning, and whether there was versioning then. */
  readonly upload?: { readonly order: number; readonly placed: boolean };
}

function isConditional({ ifMatch, ifNoneMatch }: HowAdded): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined;
}

/** What a bucket holds, and what it has ever said. */
export class BucketState {
  versioning: 'never' | 'enabled' | 'suspended' = 'never';
  /** Present: object lock is on, which only buckets have whose versioning stays enabled. */
  objectLock: { readonly byDefault?: { readonly mode: LockMode; readonly days: number } } | undefined;
  readonly #histories = new Map<string, History>();
  /** Every version id that was ever issued, also of what is gone, with its key and its place. */
  readonly #issued = new Map<string, { readonly key: string; readonly order: number }>();
  #time = 0;
  #ids = 0;

  tick(): number {
    this.#time += 1;
    return this.#time;
  }

  newId(kind: 'version' | 'upload' | 'etag'): string {
    this.#ids += 1;
    return `@${kind[0] ?? ''}${this.#ids}`;
  }

  history(key: string): History {
    let history = this.#histories.get(key);
    if (history === undefined) {
      history = new History();
      this.#histories.set(key, history);
    }
    return history;
  }

  keys(): string[] {
    return [...this.#histories.keys()];
  }

  /** The object that is there for those who name no version. */
  live(key: string): Content | undefined {
    return this.history(key).current?.content;
  }

  /** A new version, or, without content, a delete marker. */
  add(key: string, content: Content | undefined, how: HowAdded = {}): Version {
    const isKeptApart = this.versioning === 'enabled';
    const history = this.history(key);
    const now = this.tick();
    const version = {
      id: isKeptApart ? this.newId('version') : 'null',
      order: isKeptApart ? (this.#placeOfUpload(history, how) ?? now) : now,
      ...(content !== undefined && { content }),
    };
    const isFloor = isConditional(how) || this.versioning === 'never';
    const { floor } = history;
    history.add(version);
    history.floor = isFloor ? version.order : floor;
    if (isKeptApart) this.#issued.set(version.id, { key, order: version.order });
    return version;
  }

  /**
   * Where versions are kept apart, the place of an upload is that of its beginning; unless something newer came under a
   * condition, or the upload itself comes under one, or it began when no places were taken.
   */
  #placeOfUpload({ current, floor }: History, { upload, ...conditions }: HowAdded): number | undefined {
    if (upload === undefined) return undefined;
    const isNewest = (current?.order ?? 0) < upload.order;
    return isNewest || (upload.placed && upload.order > floor && !isConditional(conditions)) ? upload.order : undefined;
  }

  /** Where a version stands, or stood, among those of its key. */
  orderOf(key: string, versionId: string): number | undefined {
    return versionId === 'null' ? this.history(key).find('null')?.order : this.#issued.get(versionId)?.order;
  }

  /** All ids that versions of a key, or of the others, ever had; `null` is none. */
  issued(key: string, of: 'key' | 'others' = 'key'): string[] {
    return [...this.#issued].filter(([, version]) => (version.key === key) === (of === 'key')).map(([id]) => id);
  }

  /** `x-amz-version-id` where an answer is about one version. */
  names(version: Version): Answer['headers'] {
    return this.versioning === 'never' ? {} : { 'x-amz-version-id': version.id };
  }

  /** Whether a version of the bucket could have this id. */
  isVersionId(versionId: string): boolean {
    return versionId === 'null' || (this.versioning !== 'never' && versionId.startsWith('@'));
  }

  checkVersionId(versionId: string): void {
    if (!this.isVersionId(versionId)) throw new Refusal(400, 'InvalidArgument');
  }

  /** What a call names: a version, or else the current one. Delete markers are found too. */
  find({ key, versionId }: NamedVersion): Version {
    const history = this.history(key);
    if (versionId === undefined) {
      if (history.current === undefined) throw new Refusal(404, 'NoSuchKey', { 'x-amz-delete-marker': 'false' });
      return history.current;
    }
    this.checkVersionId(versionId);
    const version = history.find(versionId);
    if (version === undefined) throw new Refusal(404, 'NoSuchVersion');
    return version;
  }

  /** For what reads objects and their ACLs. */
  findToRead(name: NamedVersion): Version & { readonly content: Content } {
    const version = this.find(name);
    if (hasContent(version)) return version;
    const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': version.id };
    if (name.versionId === undefined) throw new Refusal(404, 'NoSuchKey', headers);
    throw new Refusal(405, 'MethodNotAllowed', { ...headers, allow: 'DELETE' });
  }

  /** For what reads and changes tags and changes ACLs: delete markers have none, whether they are named or not. */
  findToAmend(name: NamedVersion): Version & { readonly content: Content } {
    const version = this.find(name);
    if (hasContent(version)) return version;
    throw new Refusal(405, 'MethodNotAllowed', { 'x-amz-delete-marker': ANY, 'x-amz-version-id': ANY, allow: ANY });
  }
}

function hasContent(version: Version): version is Version & { readonly content: Content } {
  return version.content !== undefined;
}
