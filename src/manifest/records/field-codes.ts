import type { LockMode, ObjectLock } from '../../protocol/object-lock.ts';

/** One part of a completed multipart object; `number` as the client gave it. */
export interface PartEntry {
  readonly number: number;
  readonly size: number;
  /** Base64, of the object's checksum algorithm; absent when parts have none. */
  readonly checksum?: string;
}

/** Retention mode and its end, legal hold; what was never set is null. */
type LockCode = readonly [mode: 'g' | 'c' | null, until: number | null, legalHold: 0 | 1 | null];

const MODE_CODE = { GOVERNANCE: 'g', COMPLIANCE: 'c' } as const satisfies Record<LockMode, string>;

export function encodeLock({ retention, legalHold }: ObjectLock): LockCode {
  const hold = legalHold === undefined ? null : legalHold ? 1 : 0;
  return retention === undefined ? [null, null, hold] : [MODE_CODE[retention.mode], retention.until, hold];
}

export function decodeLock([mode, until, hold]: LockCode): ObjectLock {
  const retention =
    mode === null || until === null
      ? undefined
      : { mode: mode === 'c' ? ('COMPLIANCE' as const) : ('GOVERNANCE' as const), until };
  return { ...(retention !== undefined && { retention }), ...(hold !== null && { legalHold: hold === 1 }) };
}

/** Runs of equal size `[first number, count, size]`, and the checksums in part order when parts have them. */
export interface PartsCode {
  r: readonly (readonly [first: number, count: number, size: number])[];
  h?: readonly string[] | undefined;
}

export function encodeParts(parts: readonly PartEntry[]): PartsCode {
  const runs: [number, number, number][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    if (run?.[2] === part.size && run[0] + run[1] === part.number) run[1]++;
    else runs.push([part.number, 1, part.size]);
  }
  const checksums = parts.flatMap((part) => (part.checksum === undefined ? [] : [part.checksum]));
  return { r: runs, h: checksums.length === parts.length && parts.length > 0 ? checksums : undefined };
}

export function decodeParts(json: PartsCode): PartEntry[] {
  const parts: PartEntry[] = [];
  for (const [first, count, size] of json.r) {
    for (let i = 0; i < count; i++) {
      const checksum = json.h?.[parts.length];
      parts.push({ number: first + i, size, ...(checksum !== undefined && { checksum }) });
    }
  }
  return parts;
}
