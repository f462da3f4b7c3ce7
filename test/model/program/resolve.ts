import type { Call, ListedPart, NamedVersion, WriteConditions } from '../reference/calls.ts';
import { etagOf } from '../reference/content.ts';
import type { ReferenceBucket } from '../reference/reference-bucket.ts';
import { UNKNOWN_VERSION } from '../reference/state.ts';
import type { Upload } from '../reference/uploads.ts';

const MIB = 1024 * 1024;

/** Larger than what the server under test keeps in memory; larger than the least part but the last. */
const BODIES: Readonly<Record<string, string>> = { '#streamed': 'm'.repeat(70_000), '#large': 'L'.repeat(5 * MIB + 1) };

interface World {
  readonly keys: readonly string[];
  readonly reference: ReferenceBucket;
  /** Whether the client has been told of a version. */
  readonly isTold: (versionId: string) => boolean;
}

/** What of a call may stand for something else. */
interface Symbolic extends WriteConditions {
  readonly key?: string;
  readonly versionId?: string;
  readonly body?: string;
  readonly uploadId?: string;
  readonly parts?: readonly ListedPart[];
  readonly objects?: readonly NamedVersion[];
  readonly source?: NamedVersion;
  readonly sourceConditions?: WriteConditions;
  readonly prefix?: string;
  readonly marker?: string;
  readonly startAfter?: string;
  readonly keyMarker?: string;
  readonly versionIdMarker?: string;
  readonly uploadIdMarker?: string;
}

/** What a command means now: `#n` as key, version id or upload id, `#current` as ETag, and so on. */
export function resolve(command: Call, world: World): Call {
  const given = command as Symbolic;
  const { source, sourceConditions, objects, body } = given;
  const resolved: Symbolic = {
    ...keysOf(given, world),
    ...(body !== undefined && { body: BODIES[body] ?? body }),
    ...(source !== undefined && { source: versionOf(source, world) }),
    ...(sourceConditions !== undefined && { sourceConditions: etagsOf(sourceConditions, source?.key, world) }),
    ...(objects !== undefined && { objects: objectsOf(objects, world) }),
    ...uploadFields(given, world),
    ...markersOf(given, world),
  };
  const key = given.uploadId === undefined ? given.key : resolved.key;
  const named =
    key === undefined
      ? {}
      : versionOf({ key, ...(given.versionId !== undefined && { versionId: given.versionId }) }, world);
  return { ...command, ...resolved, ...etagsOf(given, key, world), ...named };
}

function keyOf(text: string, keys: readonly string[]): string {
  return text.startsWith('#') ? (keys[Number(text.slice(1)) % keys.length] ?? '') : text;
}

function keysOf(given: Symbolic, { keys }: World): Symbolic {
  const names = (['prefix', 'marker', 'startAfter', 'keyMarker'] as const).filter((name) => given[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, keyOf(given[name] ?? '', keys)]));
}

/** `#n` counts all told ids that the key ever had, from the newest, and `null` behind them. */
function versionOf(name: NamedVersion, { keys, reference, isTold }: World): NamedVersion {
  const { versionId } = name;
  const key = keyOf(name.key, keys);
  if (versionId?.startsWith('#') !== true) return { ...name, key };
  if (versionId === '#unknown') return { key, versionId: UNKNOWN_VERSION };
  if (versionId === '#other') {
    return { key, versionId: reference.issuedVersions(key, 'others').filter(isTold).at(-1) ?? UNKNOWN_VERSION };
  }
  const ids = ['null', ...reference.issuedVersions(key).filter(isTold)].reverse();
  return { key, versionId: ids[Number(versionId.slice(1)) % ids.length] ?? 'null' };
}

/** One request must not name a key both with and without a version: the order of its parts is not defined. */
function objectsOf(objects: readonly NamedVersion[], world: World): NamedVersion[] {
  const names = objects.map((name) => versionOf(name, world)).filter(({ versionId }) => versionId !== '');
  const plain = new Set(names.filter(({ versionId }) => versionId === undefined).map(({ key }) => key));
  const chosen = names.filter(({ key, versionId }) => versionId === undefined || !plain.has(key));
  return chosen.length > 0 ? chosen : [{ key: keyOf('#0', world.keys) }];
}

function etagsOf(
  { ifMatch, ifNoneMatch }: WriteConditions,
  key: string | undefined,
  { keys, reference }: World,
): WriteConditions {
  const etag = (text: string): string => {
    if (text === '#current') {
      return (key === undefined ? undefined : reference.currentEtag(keyOf(key, keys))) ?? etagOf('one');
    }
    return text === '#other' ? etagOf('another') : text;
  };
  return {
    ...(ifMatch !== undefined && { ifMatch: etag(ifMatch) }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch: etag(ifNoneMatch) }),
  };
}

/** `#n` counts from the newest. */
function uploadOf(text: string, { reference }: World): Upload | undefined {
  const { uploads } = reference;
  return uploads[uploads.length - 1 - (Number(text.slice(1)) % uploads.length)];
}

/** An upload is named with its own key, but where the command says another. */
function uploadFields({ uploadId, key = '', parts }: Symbolic, world: World): Symbolic {
  if (uploadId === undefined) return {};
  const upload = uploadOf(uploadId, world);
  return {
    uploadId: upload?.id ?? 'no upload',
    key: key === '' ? (upload?.key ?? 'a') : keyOf(key, world.keys),
    ...(parts !== undefined && { parts: partsOf(parts[0]?.etag, upload) }),
  };
}

function partsOf(which: string | undefined, upload: Upload | undefined): ListedPart[] {
  const all = [...(upload?.parts.values() ?? [])]
    .sort((a, b) => a.number - b.number)
    .map(({ number, etag }) => ({ number, etag }));
  const [first] = all;
  if (first === undefined || which === '#none') return [{ number: 4, etag: etagOf('one') }];
  switch (which) {
    case '#first':
      return [first];
    case '#last':
      return all.slice(-1);
    case '#reversed':
      return all.reverse();
    case '#wrong':
      return [{ ...first, etag: etagOf('another') }];
    default:
      return all;
  }
}

/**
 * Where a listing goes on from a version that its key does not have, or from `null` where there is none, S3 does not
 * say.
 */
function markersOf({ keyMarker = '', versionIdMarker, uploadIdMarker }: Symbolic, world: World): Symbolic {
  if (uploadIdMarker !== undefined) return { uploadIdMarker: uploadOf(uploadIdMarker, world)?.id ?? 'no upload' };
  if (versionIdMarker === undefined) return {};
  const isOfKey = versionIdMarker === 'null' || /^#\d/.test(versionIdMarker);
  const { key, versionId } = versionOf({ key: keyMarker, versionId: isOfKey ? versionIdMarker : '' }, world);
  return { versionIdMarker: versionId === 'null' && !world.reference.hasNull(key) ? '' : (versionId ?? '') };
}
