import type { PolicyKind } from './document.ts';
import { type FaultName, sentenceOf } from './sentences.ts';

/** One thing that is wrong with a document. */
export interface PolicyFault {
  /** Where, e.g. `Statement[1].Action`; empty: the whole. */
  readonly path: string;
  /** AWS's. */
  readonly sentence: string;
  /** The value or name that is meant; empty where there is none. */
  readonly subject: string;
}

/** Ends the reading of a statement, or of the whole. */
export class FaultFound extends Error {
  readonly fault: PolicyFault;

  constructor(fault: PolicyFault) {
    super(fault.sentence);
    this.fault = fault;
  }
}

/** Makes the faults of documents of one kind. */
export type FaultMaker = (name: FaultName, path: string, subject?: string) => FaultFound;

export function faultMaker(kind: PolicyKind): FaultMaker {
  return (name, path, subject = '') => new FaultFound({ path, subject, sentence: sentenceOf(kind, name, subject) });
}
