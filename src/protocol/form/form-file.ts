import { Readable } from 'node:stream';
import { S3Error } from '../../errors/s3-error.ts';
import type { BodyFacts, FileSize, OpenBodyOptions } from '../body/object-body.ts';
import type { PayloadVerifier } from '../body/payload-verifier.ts';
import type { ReadForm } from './form-reader.ts';

interface FormFileOptions {
  readonly form: Pick<ReadForm, 'file' | 'whole' | 'abandon'>;
  readonly verifier: PayloadVerifier;
  readonly allowed: FileSize;
  /** The file has at least as many, by the length of the request: they are streamed, what follows is kept. */
  readonly least: number;
  readonly beforeEnd: OpenBodyOptions['beforeEnd'];
}

/**
 * The file of a form. A form does not say how long its file is, and both clouds want to know before they store a byte:
 * by the length of the request it is known but for the few bytes that may stand behind the file. So all but these are
 * streamed, and the rest is let go when everything was verified.
 */
export class FormFile {
  /** Exactly `least` bytes. */
  readonly start: Readable;
  /** What came behind them, once the whole form came and everything about it holds. */
  readonly rest: Promise<Buffer>;
  readonly facts: Promise<BodyFacts>;
  readonly #options: FormFileOptions;
  readonly #rest = Promise.withResolvers<Buffer>();
  readonly #facts = Promise.withResolvers<BodyFacts>();
  readonly #kept: Buffer[] = [];
  #size = 0;
  #over = false;

  constructor(options: FormFileOptions) {
    this.#options = options;
    this.rest = this.#rest.promise;
    this.facts = this.#facts.promise;
    // The reader of the start hears of it.
    for (const promise of [this.rest, this.facts]) promise.catch(() => undefined);
    const { file, whole } = options.form;
    this.start = new Readable({
      read: () => void file.resume(),
      destroy: (error, done) => {
        if (error !== null || this.#size < options.least) {
          this.#fail(error ?? new Error('the form was given up before its end'));
        }
        done(error);
      },
    });
    this.start.on('error', () => undefined);
    file.on('data', (bytes: Buffer) => this.#take(bytes));
    file.on('end', () => void this.#complete());
    whole.catch((error: unknown) => this.#fail(error));
  }

  #take(bytes: Buffer): void {
    if (this.#over) return;
    const { least, allowed, verifier, form } = this.#options;
    const room = least - this.#size;
    this.#size += bytes.length;
    if (this.#size > allowed.max) {
      this.#fail(tooLarge(this.#size, allowed));
      return;
    }
    verifier.update(bytes);
    if (room < bytes.length) this.#kept.push(bytes.subarray(Math.max(0, room)));
    if (room <= 0) return;
    const goesOn = this.start.push(bytes.subarray(0, room));
    if (room <= bytes.length) this.start.push(null);
    else if (!goesOn) form.file.pause();
  }

  async #complete(): Promise<void> {
    const { least, allowed, verifier, form, beforeEnd } = this.#options;
    try {
      await form.whole;
      if (this.#size < least) {
        throw new S3Error('MaxPostPreDataLengthExceeded', {
          message: 'Your POST request fields following the upload file were too large.',
        });
      }
      if (this.#size < allowed.min) throw tooSmall(this.#size, allowed);
      const facts = verifier.finish([]);
      await beforeEnd?.(facts);
      if (this.#over) return;
      this.#over = true;
      verifier.release();
      if (least === 0) this.start.push(null);
      this.#facts.resolve(facts);
      this.#rest.resolve(Buffer.concat(this.#kept));
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(reason: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.verifier.release();
    const error = reason instanceof Error ? reason : new Error('the form was refused', { cause: reason });
    this.#kept.length = 0;
    this.#facts.reject(error);
    this.#rest.reject(error);
    this.start.destroy(error);
    this.#options.form.abandon(error);
  }
}

/**
 * Refuses by the length of the request what can be refused by it.
 * @param least,most bytes that the file has
 * @throws S3Error EntityTooLarge, EntityTooSmall
 */
export function checkFileSize(
  { least, most }: { readonly least: number; readonly most: number },
  allowed: FileSize,
): void {
  if (least > allowed.max) throw tooLarge(least, allowed);
  if (most < allowed.min) throw tooSmall(most, allowed);
}

function tooLarge(size: number, { max }: FileSize): S3Error {
  return new S3Error('EntityTooLarge', { extra: { ProposedSize: size, MaxSizeAllowed: max } });
}

function tooSmall(size: number, { min }: FileSize): S3Error {
  return new S3Error('EntityTooSmall', { extra: { ProposedSize: size, MinSizeAllowed: min } });
}
