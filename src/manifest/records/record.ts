import { DamagedField, type UnknownFields, addUnknown, codecOfFields, toAsciiJson } from './fields.ts';
import {
  type FieldGroup,
  type FieldsOf,
  RECORD_FIELDS,
  fieldsOf,
  spilled,
  unspilled,
  untrimmed,
} from './record-fields.ts';
import { isCount, isText } from './record-checks.ts';
import type { VersionToken } from './version-token.ts';

/** Metadata name under which the record rides on a blob. Everything else on the blob is user metadata. */
export const RECORD_NAME = 's3gw';

/** Format of the record; a reader refuses a higher one instead of guessing. */
const FORMAT = 1;
/**
 * Format of a record whose object's bytes lie in encrypted pieces (docs/decisions/0029-keys-of-customers.md). A release
 * that knows only the first format would show such an object without its bytes; this number makes it refuse the record
 * instead.
 */
const ENCRYPTED_FORMAT = 2;

/** What every record has. */
interface Placed extends FieldsOf<'place'> {
  /** Hybrid clock in microseconds; decides a version's place. */
  readonly seq: number;
  /** Fields that this release does not know. Code that writes the record anew writes them back. */
  readonly unknown?: UnknownFields;
  /** The same for fields that lie on the record's overflow blob. */
  readonly unknownSpilled?: UnknownFields;
}

/**
 * What S3 knows of an object and the cloud has no field for. An absent field means the default, so that the record of a
 * plain PUT is a few dozen bytes long.
 */
interface ObjectFields extends Placed, FieldsOf<'said' | 'shown' | 'kept' | 'spill'> {}

type MarkerFields = Placed & Pick<FieldsOf<'kept'>, 'owner'>;

type HeadFields = FieldsOf<'nonces' | 'log'>;

/** A head that names a version's own blob. */
interface Naming {
  readonly version: VersionToken;
}

/** The head's own blob is empty: `etag` and `size` are those of the blob that it names. */
interface NamingObject extends Naming {
  readonly etag: string;
  readonly size: number;
}

/** The current version is the null version, and its bytes lie at the key itself. */
export interface InlineHead extends ObjectFields, HeadFields {
  readonly kind: 'inline';
}

/**
 * The current version has a blob of its own. Its record may say more than the head, which leaves out what does not fit.
 */
export interface LinkHead
  extends Omit<ObjectFields, 'etag'>,
    HeadFields,
    NamingObject,
    FieldsOf<'own' | 'seen' | 'null'> {
  readonly kind: 'link';
}

/**
 * The current version is the null version, and its bytes lie on a private blob until they are moved to the key. Its
 * record is this one.
 */
export interface AssembledHead extends Omit<ObjectFields, 'etag'>, HeadFields, NamingObject {
  readonly kind: 'assembled';
}

/** The current version is a delete marker. */
export interface MarkerHead extends MarkerFields, HeadFields, Naming, FieldsOf<'own' | 'seen' | 'null'> {
  readonly kind: 'marker';
}

/** The key has no version any more. Work in the log may be left to do. */
export interface VoidHead extends Placed, HeadFields, FieldsOf<'null'> {
  readonly kind: 'void';
}

/** The record of the blob at a key's name. */
export type HeadRecord = InlineHead | LinkHead | AssembledHead | MarkerHead | VoidHead;
export type HeadKind = HeadRecord['kind'];

/** An object on a version's own blob. */
export interface OwnObject extends ObjectFields, FieldsOf<'own'>, Pick<FieldsOf<'nonces'>, 'ring'> {
  readonly kind: 'inline';
}

/** A delete marker, which is a version's own blob without bytes. */
export interface OwnMarker extends MarkerFields, FieldsOf<'own'> {
  readonly kind: 'marker';
}

/** The record of a version's own blob. */
export type OwnRecord = OwnObject | OwnMarker;

/** An entry of the index of keys whose head may say that nothing is there. */
export type DeletionRecord = Placed & { readonly kind: 'void' };

/** A record as it was decoded, before anything checked that its fields fit the blob that it lay on. */
export interface LooseRecord extends Placed, FieldsOf<FieldGroup> {
  readonly kind: HeadKind;
}

/** On disk a kind is one letter. It stays what it is when code or documents use another word. */
const KIND_CODE: Readonly<Record<HeadKind, string | undefined>> = {
  inline: undefined,
  link: 'l',
  assembled: 'm',
  marker: 't',
  void: 'v',
};
const KIND_OF: Readonly<Record<string, HeadKind>> = { l: 'link', m: 'assembled', t: 'marker', v: 'void' };

/** Fields that a head of each kind must have. */
const MUST_HAVE: Readonly<Record<HeadKind, readonly ('version' | 'etag' | 'size')[]>> = {
  inline: [],
  link: ['version', 'etag', 'size'],
  assembled: ['version', 'etag', 'size'],
  marker: ['version'],
  void: [],
};

const CODEC = codecOfFields(RECORD_FIELDS, ['v', 'k', 's']);

/** The record as ASCII JSON, one or two letters a field (other characters escaped): fit for a metadata value. */
export function encodeRecord(record: HeadRecord | OwnRecord | DeletionRecord | LooseRecord): string {
  const json: Record<string, unknown> = { v: FORMAT, k: KIND_CODE[record.kind], s: record.seq };
  CODEC.encode(record, json);
  if (RECORD_FIELDS.encryption.code in json) json['v'] = ENCRYPTED_FORMAT;
  if (record.unknown !== undefined) addUnknown(json, record.unknown);
  if (record.unknownSpilled !== undefined) addUnknown(json, record.unknownSpilled);
  return toAsciiJson(json);
}

/**
 * @returns undefined for a text that is no record of ours;
 * @throws RecordFormatError for one from a later release, or with a field that none of ours has
 */
export function decodeRecord(text: string): LooseRecord | undefined {
  const json = parseJson(text);
  if (json === undefined) return undefined;
  const isKnown = RECORD_FIELDS.encryption.code in json ? json.v === ENCRYPTED_FORMAT : json.v === FORMAT;
  if (!isKnown) throw new RecordFormatError(json.v);
  if (!isCount(json.s) || (json.k !== undefined && !isText(json.k))) throw new RecordFormatError('no kind or place');
  const { fields, unknown } = decodeFields(json);
  return { ...fields, kind: kindOf(json.k), seq: json.s, ...(unknown && { unknown }) };
}

/** @throws RecordFormatError: a field that none of ours has, or an ACL that this release does not know */
function decodeFields(json: RecordJson): ReturnType<typeof CODEC.decode> {
  try {
    return CODEC.decode(json);
  } catch (cause) {
    throw new RecordFormatError(cause instanceof DamagedField ? cause.message : 'fields of another kind', { cause });
  }
}

/** The same where a wrong answer does no harm: an unreadable record counts as none. */
export function tryDecodeRecord(text: string): LooseRecord | undefined {
  try {
    return decodeRecord(text);
  } catch (error) {
    if (error instanceof RecordFormatError) return undefined;
    throw error;
  }
}

/** The record of a blob at a key's name. @throws RecordFormatError for one that no head has */
export function asHead(record: LooseRecord): HeadRecord {
  const { kind } = record;
  const needed = MUST_HAVE[kind];
  if (needed.length > 0 && needed.some((name) => record[name] === undefined)) {
    throw new RecordFormatError(`kind "${kind}" that does not say ${needed.join(', ')}`);
  }
  return record as HeadRecord;
}

/** The record of a version's own blob. @throws RecordFormatError for one that none has */
export function asOwn(record: LooseRecord): OwnRecord {
  if (record.kind === 'inline' || record.kind === 'marker') return record as OwnRecord;
  throw new RecordFormatError(`kind "${record.kind}" on a version's own blob`);
}

/** @throws RecordFormatError for a kind of a later release, which must not be taken for an object */
function kindOf(code: string | undefined): HeadKind {
  if (code === undefined) return 'inline';
  const kind = Object.hasOwn(KIND_OF, code) ? KIND_OF[code] : undefined;
  if (kind === undefined) throw new RecordFormatError(`kind "${code.slice(0, 20)}"`);
  return kind;
}

/** The version's own blob that a head names as the current version. */
export function namedVersion(record: HeadRecord | undefined): VersionToken | undefined {
  return record === undefined || record.kind === 'inline' || record.kind === 'void' ? undefined : record.version;
}

/** The noncurrent null version that a head names. */
export function namedNull(record: HeadRecord | undefined): VersionToken | undefined {
  return record === undefined || record.kind === 'inline' || record.kind === 'assembled'
    ? undefined
    : record.nullVersion;
}

/** Whether a record says that it belongs to the null version. Heads that are the null version need not say it. */
export function saysNull(record: HeadRecord | OwnRecord | undefined): boolean {
  return record !== undefined && 'isNull' in record && record.isNull;
}

/** Whether a version is stamped, as far as this record says. */
export function isStamped(record: HeadRecord | OwnRecord | undefined): boolean {
  return record !== undefined && 'stamp' in record && record.stamp;
}

/** A head with another log, once the work of its old one is done. */
export function withLog<R extends HeadRecord>(record: R, log: Pick<FieldsOf<'log'>, 'adds' | 'dels'>): R {
  const { adds: _added, dels: _removed, ...rest } = record;
  return { ...rest, ...log } as R;
}

/** A head whose noncurrent null version is no more. */
export function withoutNull<R extends HeadRecord>(record: R): R {
  if (!('nullVersion' in record)) return record;
  const { nullVersion: _gone, ...rest } = record;
  return rest as HeadRecord as R;
}

/** The object that a record describes, for another record of it. */
export function objectFields(record: HeadRecord | OwnRecord): Omit<ObjectFields, 'overflow'> {
  const { seq, unknown, unknownSpilled } = record;
  const fields = fieldsOf<'place' | 'said' | 'shown' | 'kept'>(record, 'place', 'said', 'shown', 'kept');
  return { ...fields, seq, ...(unknown && { unknown }), ...(unknownSpilled && { unknownSpilled }) };
}

/**
 * Splits a record into the part for the blob and the part for an overflow blob. Unknown fields stay in the part in
 * which they were found.
 */
export function splitForOverflow(record: HeadRecord | OwnRecord): { core: LooseRecord; rest: LooseRecord } {
  const { unknown: _stays, unknownSpilled, ...all } = record;
  const { unknownSpilled: _goes, ...core } = unspilled(record);
  return {
    core,
    rest: { kind: record.kind, seq: record.seq, ...spilled(all), ...(unknownSpilled && { unknownSpilled }) },
  };
}

/** A link or marker reduced to what listings and conditions need. The version's own blob says the rest. */
export function trimmed(link: LinkHead | MarkerHead): LinkHead | MarkerHead {
  const { unknown: _on, unknownSpilled: _its, ...known } = untrimmed(link);
  return known;
}

/** Puts both parts together again. */
export function joinOverflow<R extends HeadRecord | OwnRecord>(record: R, { unknown, ...rest }: LooseRecord): R {
  const { overflow: _overflow, ...core } = record as LooseRecord;
  return { ...rest, ...core, ...(unknown && { unknownSpilled: unknown }) } as R;
}

/**
 * A record that cannot be read, because a later release or a tool of the cloud wrote it. Refusing it is safer than
 * ignoring what it says, which may be a lock.
 */
export class RecordFormatError extends Error {
  /** @param what the format's number, or what else is not understood */
  constructor(what: number | string, options?: ErrorOptions) {
    super(
      typeof what === 'string'
        ? `record of ${what} cannot be read by this release`
        : `record format ${what} is newer than this release understands (${ENCRYPTED_FORMAT})`,
      options,
    );
    this.name = 'RecordFormatError';
  }
}

interface RecordJson {
  readonly v: number;
  readonly k?: string;
  readonly s: number;
}

function parseJson(text: string): RecordJson | undefined {
  try {
    const json = JSON.parse(text) as { readonly v?: unknown; readonly s?: unknown } | null;
    return typeof json?.v === 'number' && typeof json.s === 'number' ? (json as RecordJson) : undefined;
  } catch {
    return undefined; // somebody else's metadata of the same name: the blob counts as native
  }
}
