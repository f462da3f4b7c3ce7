import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { S3Error } from '../../errors/s3-error.ts';
import type { BodyFlow } from '../body/body-flow.ts';
import { turn } from '../../streams/turns.ts';
import { FormFields } from './form-fields.ts';

/** Bytes of a form before its file, boundaries and headers of parts included, as on AWS; likewise behind it. */
export const MAX_FORM_DATA = 20 * 1024;
/** Of the names and values before the file; 20 KB hold fewer. */
const MAX_PARTS = 1000;

/**
 * Asked before the bytes of a form are kept whose fields are being read: nobody has signed them yet. Is told 0 when
 * none are any more. @returns false: there is no room for so many
 */
export type HoldsFields = (bytes: number) => boolean;

/** A form whose fields are read, and whose file is about to come. */
export interface ReadForm {
  readonly fields: FormFields;
  /** As the client calls it, without its folders; undefined: it gave no name. */
  readonly filename: string | undefined;
  readonly file: BusboyFileStream;
  /** Bytes of the form that came before any of the file may have been taken: the file begins nowhere behind them. */
  readonly before: number;
  /** Resolves when the whole request came, was verified and was a form; rejects with the first thing wrong. */
  readonly whole: Promise<undefined>;
  /** Reads no more. */
  abandon(error: Error): void;
}

/**
 * Reads a `multipart/form-data` body: all fields up to the file, which is handed over as it comes. What follows it is
 * ignored.
 * @param contentType with the boundary
 * @throws S3Error SlowDown, MalformedPOSTRequest, MaxPostPreDataLengthExceeded, InvalidArgument (no file), and what is
 * wrong with the body itself
 */
export function readForm(flow: BodyFlow, contentType: string, holds: HoldsFields): Promise<ReadForm> {
  return new FormReader(flow, newParser(contentType), holds).begin();
}

const BOUNDARY = /;\s*boundary="?[^\s;"]/i;

function newParser(contentType: string): BusboyInstance {
  if (!BOUNDARY.test(contentType)) throw malformed();
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // A part without a name is refused as soon as it begins: however long, it is no field.
      isPartAFile: (name) => isNameless(name) || name?.toLowerCase() === 'file',
      limits: {
        parts: MAX_PARTS,
        files: 1,
        fieldSize: MAX_FORM_DATA,
        headerSize: MAX_FORM_DATA,
        headerPairs: MAX_PARTS,
      },
    });
  } catch (error) {
    throw malformed(error);
  }
}

function isNameless(name: string | undefined): boolean {
  return name === undefined || name === '';
}

function malformed(cause?: unknown): S3Error {
  return new S3Error('MalformedPOSTRequest', { cause });
}

/** Feeds the parser from the flow, and heeds its back-pressure. */
class FormReader {
  readonly #flow: BodyFlow;
  readonly #parser: BusboyInstance;
  readonly #fields = new FormFields();
  readonly #form = Promise.withResolvers<ReadForm>();
  readonly #whole = Promise.withResolvers<undefined>();
  readonly #waiting: Buffer[] = [];
  readonly #holds: HoldsFields;
  #file: BusboyFileStream | undefined;
  #arrived = 0;
  #fed = 0;
  #blocked = false;
  #flowEnded = false;
  #over = false;

  constructor(flow: BodyFlow, parser: BusboyInstance, holds: HoldsFields) {
    this.#flow = flow;
    this.#parser = parser;
    this.#holds = holds;
    this.#whole.promise.catch(() => undefined); // whoever waits for the file hears of it
  }

  begin(): Promise<ReadForm> {
    this.#parser
      .on('field', (name: string | undefined, value, nameTruncated, valueTruncated) => {
        if (this.#file !== undefined) return;
        if (name === undefined || nameTruncated || valueTruncated) this.#fail(malformed());
        else this.#fields.add(name, value);
      })
      .on('file', (name: string | undefined, file, filename: string | undefined) => {
        if (isNameless(name)) this.#refused(file);
        else this.#begun(file, filename);
      })
      .on('partsLimit', () => this.#fail(malformed()))
      .on('error', (error) => this.#fail(malformed(error)))
      .on('finish', () => this.#finished());
    this.#flow.start({
      payload: (bytes) => this.#came(bytes),
      done: () => {
        this.#flowEnded = true;
        this.#feed();
      },
      failed: (error) => this.#fail(error),
    });
    return this.#form.promise;
  }

  #came(bytes: Buffer): void {
    if (this.#file === undefined) {
      this.#arrived += bytes.length;
      if (!this.#holds(this.#arrived)) {
        this.#fail(new S3Error('SlowDown'));
        return;
      }
    }
    this.#waiting.push(bytes);
    this.#feed();
  }

  #refused(file: BusboyFileStream): void {
    file.on('error', () => undefined).resume();
    this.#fail(malformed());
  }

  #begun(file: BusboyFileStream, filename: string | undefined): void {
    this.#file = file;
    this.#holds(0);
    file.on('error', (error) => this.#fail(malformed(error)));
    this.#form.resolve({
      fields: this.#fields,
      filename,
      file,
      before: this.#fed,
      whole: this.#whole.promise,
      abandon: (error) => this.#fail(error),
    });
  }

  #feed(): void {
    while (!this.#blocked && !this.#over) {
      if (this.#waiting.length === 0) break;
      if (this.#file === undefined) this.#writeInTurn().catch((error: unknown) => this.#fail(malformed(error)));
      else this.#writeNext();
    }
    if (this.#over || this.#blocked) return;
    if (this.#flowEnded) this.#parser.end();
    else this.#flow.resume();
  }

  /**
   * Twenty kilobytes of fields are two hundred streams to the parser: half a megabyte, which is garbage only when Node
   * has worked through its queue. Of all forms before their file one goes on in each round of the event loop.
   */
  async #writeInTurn(): Promise<void> {
    this.#blocked = true;
    this.#flow.pause();
    await turn();
    this.#blocked = false;
    if (this.#over) return;
    this.#writeNext();
    this.#feed();
  }

  #writeNext(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) this.#write(next);
  }

  /** Before the file comes, no more than a form may have there is looked at. */
  #write(bytes: Buffer): void {
    const room = this.#file === undefined ? MAX_FORM_DATA - this.#fed : bytes.length;
    if (room <= 0) {
      this.#fail(new S3Error('MaxPostPreDataLengthExceeded'));
      return;
    }
    if (room < bytes.length) this.#waiting.unshift(bytes.subarray(room));
    const piece = bytes.subarray(0, room);
    this.#fed += piece.length;
    if (this.#parser.write(piece)) return;
    this.#blocked = true;
    this.#flow.pause();
    this.#parser.once('drain', () => {
      this.#blocked = false;
      this.#feed();
    });
  }

  #finished(): void {
    if (this.#file === undefined) {
      this.#fail(
        new S3Error('InvalidArgument', {
          message: 'POST requires exactly one file upload per request.',
          extra: { ArgumentName: 'file', ArgumentValue: '0' },
        }),
      );
    } else if (!this.#over) {
      this.#over = true;
      this.#whole.resolve(undefined);
    }
  }

  #fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#holds(0);
    this.#flow.stop();
    this.#waiting.length = 0;
    this.#form.reject(error);
    this.#whole.reject(error);
    // It may have no listener any more, and nothing of it is to be kept.
    this.#file?.on('error', () => undefined).resume();
    this.#parser.on('error', () => undefined);
  }
}
