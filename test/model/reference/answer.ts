export type Json = string | number | boolean | null | readonly Json[] | Facts;

export interface Facts {
  readonly [name: string]: Json | undefined;
}

/** What of an answer S3 documents, and what is compared. */
export interface Answer {
  readonly status: number;
  /** Of an error document. */
  readonly code?: string;
  /** Only those that say something about versions, objects or errors; `ANY` where S3 does not say. */
  readonly headers: Readonly<Record<string, string>>;
  /** Facts of the document, or the object's bytes. */
  readonly body?: Json;
}

/** Stands for any value, and for none. */
export const ANY = '@any';

export function ok(headers: Answer['headers'] = {}, body?: Json): Answer {
  return { status: 200, headers, ...(body !== undefined && { body }) };
}

/** An error answer on its way out. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(status: number, code: string, headers: Answer['headers'] = {}) {
    super(code);
    this.answer = { status, code, headers };
  }
}
