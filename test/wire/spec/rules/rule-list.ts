/**
 * Where a rule comes from: a section of the specification of the nine operations, or `S3` (API reference, or what S3
 * was seen to do) where the specification is silent, or `ours` where the two differ or both are silent and somebody had
 * to decide.
 */
type Origin = `${number}` | `${number}.${number}` | 'S3' | 'ours';

/** Rules by id: where each comes from, and what it says. */
export type RuleList = Readonly<Record<string, readonly [origin: Origin, says: string]>>;
