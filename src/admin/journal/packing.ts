import type { RequestFacts } from '../../observe/request-facts.ts';
import type { SignatureDiagnosis } from '../diagnosis/diagnosis.ts';
import type { KeepText } from './kept-text.ts';

/** A request on its way into the journal. */
export interface Packing {
  readonly facts: RequestFacts;
  /** Of a signature that was refused. */
  readonly report: SignatureDiagnosis | undefined;
  /** Without what takes most room. */
  readonly brief: boolean;
  /** Redacted. */
  readonly target: string;
  /** Keeps names of buckets and keys, and paths. */
  readonly address: KeepText;
  /** Known when the headers are written. */
  headersOmitted: number;
}
