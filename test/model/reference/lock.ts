import { type Answer, ANY } from './answer.ts';
import type { LegalHold, Retention } from './calls.ts';

/** What keeps a version from being deleted. */
export interface Lock {
  readonly retention?: Retention;
  /** The bucket's default gave it: its end is some days after the version came, to no exact second. */
  readonly isDefault?: true;
  readonly hold?: LegalHold;
}

/** Headers of GetObject and HeadObject. S3 does not say whether a hold that is off is told. */
export function lockHeaders({ retention, isDefault, hold }: Lock): Answer['headers'] {
  return {
    ...(retention !== undefined && {
      'x-amz-object-lock-mode': retention.mode,
      'x-amz-object-lock-retain-until-date': isDefault === true ? ANY : retention.until,
    }),
    ...(hold !== undefined && { 'x-amz-object-lock-legal-hold': hold === 'ON' ? hold : ANY }),
  };
}
