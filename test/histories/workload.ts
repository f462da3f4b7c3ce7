import type { Call } from '../model/reference/calls.ts';
import type { Recorded } from './client.ts';
import type { Random } from '../support/random.ts';

export type Versioning = 'never' | 'Enabled' | 'Suspended';

/** More than the gateways of these runs hold in memory (`HELD_BYTES`): such bodies are streamed. */
export const HELD_BYTES = 256;
const LARGE = 3 * HELD_BYTES;
/** What an entry of a key's memory is good for: conditions and version ids of lately. */
const REMEMBERED = 6;

/** Where classes are tiers: one that is read at once, and one whose bytes are offline on Azure. */
const CLASSES = ['STANDARD', 'STANDARD_IA', 'GLACIER'];

interface OpenUpload {
  readonly uploadId: string;
  /** Of its one part, once it is there. */
  readonly etag?: string;
}

/** What the clients know of a key: what they may name in their next calls. */
export class KeyStory {
  readonly key: string;
  readonly etags: string[] = [];
  readonly versions: string[] = [];
  readonly uploads: OpenUpload[] = [];
  /** Versions whose deletion was sent and not answered. */
  readonly perhapsDeleted: string[] = [];
  /** Versions whose deletion was answered: nobody may read them by their ids any more. */
  readonly deleted: string[] = [];
  calls = 0;
  readonly #tiers: boolean;
  #notes = 0;

  /** @param tiers its objects are of several storage classes */
  constructor(key: string, tiers: boolean) {
    this.key = key;
    this.#tiers = tiers;
  }

  placement(random: Random): { readonly storageClass?: string } {
    return this.#tiers ? { storageClass: random.pick(CLASSES) } : {};
  }

  /** Name of a change, which its object carries: readers know by it who wrote what they read. */
  note(): string {
    this.#notes += 1;
    return `${this.key}#${this.#notes}`;
  }

  learn({ call, answer }: Recorded): void {
    if (call.op === 'DeleteObject' && call.versionId !== undefined) this.#learnDeletion(call.versionId, answer?.status);
    if (answer === undefined || answer.status >= 300) return;
    const { etag, 'x-amz-version-id': version } = answer.headers;
    if (etag !== undefined && call.op !== 'UploadPart') remember(this.etags, etag);
    if (version !== undefined && 'key' in call) remember(this.versions, version);
    const body = answer.body as { uploadId?: string } | undefined;
    if (call.op === 'CreateMultipartUpload' && body?.uploadId !== undefined) {
      this.uploads.push({ uploadId: body.uploadId });
    }
    if (call.op === 'UploadPart') {
      const at = this.uploads.findIndex(({ uploadId }) => uploadId === call.uploadId);
      if (at >= 0 && etag !== undefined) this.uploads[at] = { uploadId: call.uploadId, etag };
    }
  }

  #learnDeletion(versionId: string, status: number | undefined): void {
    const isAnswered = status === 204;
    forget(this.perhapsDeleted, versionId);
    if (isAnswered && !this.deleted.includes(versionId)) this.deleted.push(versionId);
    if (!isAnswered && !this.deleted.includes(versionId)) this.perhapsDeleted.push(versionId);
  }
}

function forget(list: string[], entry: string): void {
  const at = list.indexOf(entry);
  if (at >= 0) list.splice(at, 1);
}

function remember(list: string[], entry: string): void {
  list.push(entry);
  if (list.length > REMEMBERED) list.shift();
}

interface Choice {
  readonly weight: number;
  /** @returns undefined where the key offers nothing to do it with */
  readonly call: (story: KeyStory, random: Random) => Call | undefined;
}

const CHOICES: readonly Choice[] = [
  { weight: 6, call: (story, random) => put(story, random, 40) },
  { weight: 3, call: (story, random) => put(story, random, LARGE) },
  { weight: 2, call: (story, random) => ({ ...put(story, random, 40), ifNoneMatch: '*' }) },
  { weight: 3, call: (story, random) => conditional(story, random) },
  { weight: 4, call: ({ key }) => ({ op: 'DeleteObject', key }) },
  {
    weight: 2,
    call: ({ key, versions }, random) =>
      versions.length === 0 ? undefined : { op: 'DeleteObject', key, versionId: random.pick(versions) },
  },
  {
    weight: 4,
    call: ({ key, perhapsDeleted }, random) =>
      perhapsDeleted.length === 0 ? undefined : { op: 'DeleteObject', key, versionId: random.pick(perhapsDeleted) },
  },
  {
    weight: 3,
    call: ({ key, deleted }, random) =>
      deleted.length === 0
        ? undefined
        : { op: random.oneIn(2) ? 'GetObject' : 'HeadObject', key, versionId: random.pick(deleted.slice(-REMEMBERED)) },
  },
  { weight: 6, call: ({ key }) => ({ op: 'GetObject', key }) },
  { weight: 2, call: ({ key }) => ({ op: 'HeadObject', key }) },
  {
    weight: 2,
    call: ({ key, versions }, random) =>
      versions.length === 0 ? undefined : { op: 'GetObject', key, versionId: random.pick(versions) },
  },
  {
    weight: 2,
    call: (story, random) => ({
      op: 'CopyObject',
      key: story.key,
      note: story.note(),
      ...story.placement(random),
      source: { key: story.key },
      sourceConditions: {},
      replaceMetadata: true,
    }),
  },
  {
    weight: 2,
    call: (story, random) => ({
      op: 'CreateMultipartUpload',
      key: story.key,
      note: story.note(),
      ...story.placement(random),
    }),
  },
  { weight: 4, call: (story, random) => uploadPart(story, random) },
  { weight: 4, call: (story, random) => complete(story, random) },
  { weight: 1, call: ({ key }) => ({ op: 'ListObjectVersions', prefix: key }) },
  { weight: 1, call: ({ key }) => ({ op: 'ListObjectsV2', prefix: key }) },
];

/** What a client does next with a key. */
export function nextCall(story: KeyStory, random: Random): Call {
  for (;;) {
    const call = random.weighted(CHOICES).call(story, random);
    if (call !== undefined) return call;
  }
}

function put(story: KeyStory, random: Random, size: number): Extract<Call, { op: 'PutObject' }> {
  const note = story.note();
  return { op: 'PutObject', key: story.key, note, ...story.placement(random), body: bytesOf(note, random, size) };
}

/** Bytes that nobody else stores anywhere. */
function bytesOf(note: string, random: Random, size: number): string {
  return `${note} `.padEnd(size, String.fromCharCode(97 + random.below(26)));
}

function conditional(story: KeyStory, random: Random): Call | undefined {
  const etag = story.etags.at(-1);
  if (etag === undefined) return undefined;
  const ifMatch = random.chance(0.8) ? etag : random.pick(story.etags);
  if (random.oneIn(4)) return { op: 'DeleteObject', key: story.key, ifMatch };
  return { ...put(story, random, random.oneIn(3) ? LARGE : 40), ifMatch };
}

function uploadPart(story: KeyStory, random: Random): Call | undefined {
  const upload = story.uploads.find(({ etag }) => etag === undefined);
  return (
    upload && {
      op: 'UploadPart',
      key: story.key,
      uploadId: upload.uploadId,
      number: 1,
      body: bytesOf(story.note(), random, 60),
    }
  );
}

function complete(story: KeyStory, random: Random): Call | undefined {
  const at = story.uploads.findIndex(({ etag }) => etag !== undefined);
  const upload = story.uploads[at];
  if (upload?.etag === undefined) return undefined;
  // Mostly once; what was completed may be completed again by a client that did not hear the answer.
  if (!random.oneIn(4)) story.uploads.splice(at, 1);
  const etag = story.etags.at(-1);
  const conditions = random.oneIn(5)
    ? { ifNoneMatch: '*' }
    : random.oneIn(4) && etag !== undefined
      ? { ifMatch: etag }
      : {};
  return {
    op: 'CompleteMultipartUpload',
    key: story.key,
    uploadId: upload.uploadId,
    parts: [{ number: 1, etag: upload.etag }],
    ...conditions,
  };
}
