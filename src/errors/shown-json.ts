/**
 * A value of foreign JSON as an error shows it: text as it is, and of lists and objects only that they are such. One
 * that is nested some thousand times cannot be written, by `JSON.stringify` as little as by `String`.
 */
export function shownJson(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[...]' : '{...}';
  return String(value);
}
