import { S3Error } from '../../errors/s3-error.ts';
import type { BodyFlow } from '../body/body-flow.ts';
import { declaredFacts, readDeclaredDigests } from '../body/declared-digests.ts';
import type { FormBody } from '../body/object-body.ts';
import { PayloadVerifier } from '../body/payload-verifier.ts';
import type { OpenFileOptions, UploadForm } from '../request.ts';
import { FormFile, checkFileSize } from './form-file.ts';
import { type HoldsFields, MAX_FORM_DATA, type ReadForm, readForm } from './form-reader.ts';

interface OpenFormOptions {
  /** Of the whole request. */
  readonly flow: BodyFlow;
  /** Bytes of the whole request. */
  readonly size: number;
  readonly contentType: string;
  /** True when `bytes` may be held in memory. */
  readonly tryTake: (bytes: number, holder: string) => boolean;
  readonly holdsFields: HoldsFields;
}

/** Reads a form up to its file. @throws S3Error as `readForm` */
export async function openForm({
  flow,
  size,
  contentType,
  tryTake,
  holdsFields,
}: OpenFormOptions): Promise<UploadForm> {
  const form = await readForm(flow, contentType, holdsFields);
  return {
    fields: form.fields,
    filename: form.filename,
    open: (options) => openFile({ form, size, tryTake }, options),
    abandon: (error) => form.abandon(error),
  };
}

interface FormSource extends Pick<OpenFormOptions, 'size' | 'tryTake'> {
  readonly form: ReadForm;
}

const UNFRAMED = { kind: 'unsigned' } as const;

async function openFile({ form, size, tryTake }: FormSource, options: OpenFileOptions): Promise<FormBody> {
  const { allowed, headers, holdBytes, holder, beforeEnd, md5, wantChecksum } = options;
  const declared = readDeclaredDigests(headers, UNFRAMED, { checksums: true });
  const least = Math.max(0, size - form.before - MAX_FORM_DATA);
  checkFileSize({ least, most: size }, allowed);
  const held = Math.min(size, allowed.max);
  const isHeld = least === 0 || held <= holdBytes;
  if (isHeld && tryTake(held, holder)) {
    const file = new FormFile({
      form,
      verifier: new PayloadVerifier({
        payload: UNFRAMED,
        declared,
        md5: md5 === 'here' ? md5 : 'ifDeclared',
        wantChecksum,
      }),
      allowed,
      least: 0,
      beforeEnd,
    });
    const bytes = await file.rest;
    return { kind: 'held', size: bytes.length, bytes, facts: await file.facts };
  }
  if (least === 0) throw new S3Error('SlowDown');
  // Only the gateway computes the digest of what goes in pieces.
  const file = new FormFile({
    form,
    verifier: new PayloadVerifier({ payload: UNFRAMED, declared, md5: 'here', wantChecksum, size }),
    allowed,
    least,
    beforeEnd,
  });
  const body = { start: { size: least, stream: file.start }, rest: file.rest };
  return { kind: 'openEnded', body, declared: declaredFacts(declared), facts: file.facts };
}
