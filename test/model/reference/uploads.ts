import { type Answer, ok, Refusal } from './answer.ts';
import type { CallOf, NamedUpload } from './calls.ts';
import { type Content, etagOf, judgeWrite, multipartEtag, newContent } from './content.ts';
import type { Lock } from './lock.ts';
import { newLock, refuseUnlockable } from './locking.ts';
import { copySource, created, sourceHeaders } from './objects.ts';
import { byBytes, paginate } from './paging.ts';
import type { BucketState } from './state.ts';

const MIN_PART = 5 * 1024 * 1024;
const MAX_SINGLE_RANGE_SOURCE = 5 * 1024 * 1024;

export interface Upload {
  readonly id: string;
  readonly key: string;
  /** When it was initiated. */
  readonly order: number;
  /** Its place was taken above all that was there. */
  readonly placed: boolean;
  readonly attributes: CallOf<'CreateMultipartUpload'>;
  /** That of the object, decided when the upload begins. */
  readonly lock: Lock;
  readonly parts: Map<number, Part>;
  state: 'open' | 'aborted' | { readonly list: string; readonly answer: Answer };
}

interface Part {
  readonly number: number;
  readonly body: string;
  readonly etag: string;
}

/** All uploads that a bucket ever had. */
export class Uploads {
  readonly #state: BucketState;
  readonly #all = new Map<string, Upload>();

  constructor(state: BucketState) {
    this.#state = state;
  }

  get all(): readonly Upload[] {
    return [...this.#all.values()];
  }

  create(call: CallOf<'CreateMultipartUpload'>): Answer {
    refuseUnlockable(this.#state, call);
    const id = this.#state.newId('upload');
    this.#all.set(id, {
      id,
      key: call.key,
      order: this.#state.tick(),
      placed: this.#state.versioning !== 'never',
      attributes: call,
      lock: newLock(this.#state, call),
      parts: new Map(),
      state: 'open',
    });
    return ok({}, { uploadId: id });
  }

  putPart(call: CallOf<'UploadPart'>): Answer {
    const upload = this.#open(call);
    const etag = etagOf(call.body);
    upload.parts.set(call.number, { number: call.number, body: call.body, etag });
    return ok({ etag });
  }

  copyPart(call: CallOf<'UploadPartCopy'>): Answer {
    const upload = this.#open(call);
    const source = copySource(this.#state, call.source);
    const body = call.range === undefined ? source.content.body : rangeOf(source.content, call.range);
    // Deviation: S3 gives every part the MD5 of its bytes, which a copy inside a backend does not always know.
    const isKnown = call.range === undefined && source.content.etag === etagOf(body);
    const etag = isKnown || body === '' ? etagOf(body) : this.#state.newId('etag');
    upload.parts.set(call.number, { number: call.number, body, etag });
    return ok(sourceHeaders(source), { etag });
  }

  complete(call: CallOf<'CompleteMultipartUpload'>): Answer {
    const upload = this.#named(call);
    const list = JSON.stringify(call.parts);
    if (typeof upload.state === 'object' && upload.state.list === list) return upload.state.answer;
    if (upload.state !== 'open') throw new Refusal(404, 'NoSuchUpload');
    const parts = chosenParts(upload, call);
    judgeWrite(call, this.#state.live(call.key));
    const content = { ...this.#assembled(upload, parts), lock: upload.lock };
    const version = this.#state.add(call.key, content, {
      ifMatch: call.ifMatch,
      ifNoneMatch: call.ifNoneMatch,
      upload,
    });
    const answer = ok(created(version), { key: call.key, etag: content.etag });
    upload.state = { list, answer };
    return answer;
  }

  abort(call: NamedUpload): Answer {
    this.#open(call).state = 'aborted';
    return { status: 204, headers: {} };
  }

  listParts(call: CallOf<'ListParts'>): Answer {
    const upload = this.#open(call);
    const { maxParts = 1000, partNumberMarker = 0 } = call;
    const rest = [...upload.parts.values()]
      .filter(({ number }) => number > partNumberMarker)
      .sort((a, b) => a.number - b.number);
    const shown = rest.slice(0, maxParts);
    return ok(
      {},
      {
        marker: partNumberMarker,
        next: shown.at(-1)?.number ?? 0,
        isTruncated: maxParts > 0 && rest.length > shown.length,
        parts: shown.map(({ number, etag, body }) => ({ number, etag, size: body.length })),
      },
    );
  }

  list(call: CallOf<'ListMultipartUploads'>): Answer {
    const { keyMarker = '', uploadIdMarker = '' } = call;
    const marked = keyMarker === '' || uploadIdMarker === '' ? undefined : this.#all.get(uploadIdMarker);
    const isAsked = call.limit !== 0; // of an empty page S3 does not say whether its markers are looked at
    if (isAsked && keyMarker !== '' && uploadIdMarker !== '' && marked?.key !== keyMarker) {
      throw new Refusal(400, 'InvalidArgument');
    }
    const open = this.all
      .filter(({ state }) => state === 'open')
      .sort((a, b) => byBytes(a.key, b.key) || a.order - b.order);
    const isBehind = ({ key, order }: Upload): boolean =>
      key === keyMarker ? marked === undefined || order <= marked.order : byBytes(key, keyMarker) < 0;
    const { entries, prefixes, isTruncated, last } = paginate(open, { ...call, marker: keyMarker, isBehind });
    return ok(
      {},
      {
        isTruncated,
        uploads: entries.map(({ key, id, attributes }) => ({
          key,
          uploadId: id,
          storageClass: attributes.storageClass ?? 'STANDARD',
        })),
        prefixes,
        nextKeyMarker: last === undefined ? '' : 'item' in last ? last.item.key : isTruncated ? last.prefix : '',
        nextUploadIdMarker: last !== undefined && 'item' in last ? last.item.id : '',
      },
    );
  }

  #named({ key, uploadId }: NamedUpload): Upload {
    const upload = this.#all.get(uploadId);
    if (upload?.key !== key) throw new Refusal(404, 'NoSuchUpload');
    return upload;
  }

  #open(call: NamedUpload): Upload {
    const upload = this.#named(call);
    if (upload.state !== 'open') throw new Refusal(404, 'NoSuchUpload');
    return upload;
  }

  #assembled({ attributes }: Upload, parts: readonly Part[]): Content {
    return {
      ...newContent(parts.map(({ body }) => body).join(''), attributes),
      etag: parts.some(({ etag }) => etag.startsWith('@')) ? this.#state.newId('etag') : multipartEtag(parts),
      parts: parts.map(({ number, body }) => ({ number, size: body.length })),
    };
  }
}

function chosenParts(upload: Upload, { parts }: CallOf<'CompleteMultipartUpload'>): Part[] {
  if (parts.some(({ number }, index) => index > 0 && number <= (parts[index - 1]?.number ?? 0))) {
    throw new Refusal(400, 'InvalidPartOrder');
  }
  const chosen = parts.map(({ number, etag }) => {
    const part = upload.parts.get(number);
    if (part?.etag !== etag) throw new Refusal(400, 'InvalidPart');
    return part;
  });
  if (chosen.slice(0, -1).some(({ body }) => body.length < MIN_PART)) throw new Refusal(400, 'EntityTooSmall');
  return chosen;
}

/** `bytes=a-b` of a copy source: inside the source, and only of large ones. */
function rangeOf({ body }: Content, range: string): string {
  const [first = NaN, last = NaN] = range.slice('bytes='.length).split('-').map(Number);
  if (first >= body.length) throw new Refusal(400, 'InvalidRequest');
  if (last >= body.length) throw new Refusal(416, 'InvalidRange');
  if (body.length <= MAX_SINGLE_RANGE_SOURCE) throw new Refusal(400, 'InvalidRequest');
  return body.slice(first, last + 1);
}
