import { type PortMethod, wrapStore } from '../../../src/store/wrap-store.ts';
import type { Call } from '../../../src/observe/call.ts';
import { RECORD_NAME, decodeRecord } from '../../../src/manifest/records/record.ts';
import type { BlobMetadata, BlobStore, Condition } from '../../../src/store/blob-store.ts';
import type { UploadBody } from '../../../src/streams/bytes.ts';

/** A call of a client at the door of the store. */
export interface CallAtGate {
  readonly method: PortMethod;
  /** What it is about, and on what condition. */
  readonly text: string;
  readonly call: Call;
  /** Its body comes from a stream: it cannot take effect after its client has given up. */
  readonly streamed: boolean;
}

type Submit = <T>(call: CallAtGate, run: () => Promise<T>) => Promise<T>;

const CHANGES: ReadonlySet<PortMethod> = new Set([
  'write',
  'setMetadata',
  'remove',
  'removeMany',
  'copy',
  'stagePart',
  'stagePartFrom',
  'assemble',
  'discardParts',
]);

export function isChange(method: PortMethod): boolean {
  return CHANGES.has(method);
}

/** A store whose every call waits until `submit` lets it through. */
export function gated(store: BlobStore, submit: Submit): BlobStore {
  const bare = wrapStore(store, ({ method, ref, call }, run) =>
    submit({ method, text: ref.name ?? ref.container ?? '', call, streamed: false }, run),
  );
  const at = (method: PortMethod, text: string, call: Call, body?: UploadBody): CallAtGate => ({
    method,
    text,
    call,
    streamed: body !== undefined && !(body instanceof Uint8Array),
  });
  return {
    ...bare,
    write: (ref, body, request, call) =>
      submit(at('write', `${ref.name} := ${content(request.metadata)} ${on(request.condition)}`, call, body), () =>
        store.write(ref, body, request, call),
      ),
    setMetadata: (ref, metadata, condition, call) =>
      submit(at('setMetadata', `${ref.name} := ${content(metadata)} ${on(condition)}`, call), () =>
        store.setMetadata(ref, metadata, condition, call),
      ),
    remove: (ref, revision, call) =>
      submit(at('remove', `${ref.name} ${on(revision && { kind: 'match', revision })}`, call), () =>
        store.remove(ref, revision, call),
      ),
    removeMany: (container, items, call) =>
      submit(
        at(
          'removeMany',
          items.map(({ name, revision }) => `${name} ${on(revision && { kind: 'match', revision })}`).join(', '),
          call,
        ),
        () => store.removeMany(container, items, call),
      ),
    list: (container, request, call) =>
      submit(at('list', `${container} ${request.prefix ?? ''} ${request.startAt ?? ''}`, call), () =>
        store.list(container, request, call),
      ),
    copy: (ref, request, call) =>
      submit(
        at(
          'copy',
          `${ref.name} from ${request.source.name}@${request.source.revision} := ${content(request.metadata)} ${on(request.condition)}`,
          call,
        ),
        () => store.copy(ref, request, call),
      ),
    stagePart: (ref, body, request, call) =>
      submit(at('stagePart', ref.name, call, body), () => store.stagePart(ref, body, request, call)),
    assemble: (ref, request, call) =>
      submit(at('assemble', `${ref.name} := ${content(request.metadata)} ${on(request.condition)}`, call), () =>
        store.assemble(ref, request, call),
      ),
  };
}

function on(condition: Condition | undefined): string {
  if (condition === undefined) return 'unconditionally';
  return condition.kind === 'absent' ? 'if absent' : `if at ${condition.revision}`;
}

/** A record in short: what decides visibility. */
export function content(metadata: BlobMetadata): string {
  const record = recordIn(metadata);
  if (record === undefined) return metadata[RECORD_NAME] === undefined ? 'no record' : 'claim';
  const { kind, version, isNull, nullVersion, adds, dels, stamp, tags } = record;
  const parts = [
    kind,
    version && `of ${short(version)}`,
    isNull === true && 'null',
    nullVersion && `null at ${short(nullVersion)}`,
    adds && `adds ${adds.map(short).join(' ')}`,
    dels && `dels ${dels.map(short).join(' ')}`,
    stamp === true && 'stamped',
    tags && `tags ${tags.map(({ value }) => value).join(' ')}`,
  ];
  return `{${parts.filter((part) => typeof part === 'string').join(', ')}}`;
}

function recordIn(metadata: BlobMetadata): ReturnType<typeof decodeRecord> {
  const text = metadata[RECORD_NAME];
  return text === undefined ? undefined : decodeRecord(text);
}

export function short(name: string): string {
  const token = /[0-9a-f]{32}$/.exec(name)?.[0];
  return token === undefined ? name : `v${token.slice(6, 14)}.${token.slice(14, 18)}`;
}
