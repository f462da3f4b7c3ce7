/**
 * `note`: this credential cannot tell, look yourself. `warn`: it works, but costs or endangers something. `fail`: the
 * gateway cannot work so.
 */
type Level = 'ok' | 'note' | 'warn' | 'fail';

/** What one check found. */
export interface PreflightFinding {
  readonly level: Level;
  /** What was looked at, in two or three words. */
  readonly check: string;
  readonly detail: string;
  /** What to do, unless all is well. */
  readonly advice?: string;
}

export function ok(check: string, detail: string): PreflightFinding {
  return { level: 'ok', check, detail };
}

/** One line for people, the same columns for each. */
export function lineOf(backend: string, { level, check, detail, advice }: PreflightFinding): string {
  return `${level.padEnd(4)}  ${backend}  ${check}: ${detail}${advice === undefined ? '' : `; ${advice}`}`;
}
