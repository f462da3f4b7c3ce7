import { type Check, isCount, isText } from './record-checks.ts';
import { RECORD_FIELDS } from './record-fields.ts';

const BY_CODE: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['k', isText],
  ['s', isCount],
  ...Object.values(RECORD_FIELDS).map(({ code, check }) => [code, check] as const),
]);

/**
 * Looks for a field that cannot be ours, because another tool may have written the record. Fields that this release
 * does not know are let be.
 * @returns its code
 */
export function damagedField(json: object): string | undefined {
  const values = json as Readonly<Record<string, unknown>>;
  for (const code in values) if (BY_CODE.get(code)?.(values[code]) === false) return code;
  return undefined;
}
