import type { HeaderLines } from './header-lines.ts';

/**
 * Most names that a signature may list. The canonical text repeats a header for each time it is named. Without this
 * bound, and without the rule that names differ, its size would be the product of names and lines, for requests whose
 * sender is not known yet.
 */
export const MAX_SIGNED_HEADERS = 100;

/**
 * The list as the client wrote it; names past the bound are cut off, so that what is left is refused at little cost.
 */
export function splitSignedHeaders(list: string): string[] {
  return list.split(';', MAX_SIGNED_HEADERS + 1);
}

/** A list of names, and what is wrong with its form. */
interface SignedHeaderList {
  readonly names: readonly string[];
  /** Undefined: nothing. */
  readonly fault: string | undefined;
}

/** Takes a list apart and checks its form. */
export function readSignedHeaders(list: string): SignedHeaderList {
  const names = splitSignedHeaders(list);
  return { names, fault: listFault(names) };
}

/**
 * What is wrong with the form of a list: names must be in lower case, sorted, each once, at most MAX_SIGNED_HEADERS.
 * Source: "Create a canonical request", S3 API reference. @returns undefined when nothing is wrong
 */
function listFault(names: readonly string[]): string | undefined {
  if (names.length > MAX_SIGNED_HEADERS) return `SignedHeaders may list ${MAX_SIGNED_HEADERS} headers at most.`;
  return isCanonicalList(names) ? undefined : 'SignedHeaders must list names in lower case, sorted, each of them once.';
}

/** Whether all of the names came as headers. The canonical text does not tell an absent one from an empty one. */
export function haveAllCome(names: readonly string[], headers: HeaderLines): boolean {
  return names.every((name) => headers.names.includes(name));
}

/**
 * Whether the canonical text of these names is no larger than in proportion to the headers. The search for what was
 * altered asks this about requests that authentication refused.
 */
export function isBoundedList(names: readonly string[]): boolean {
  return names.length <= MAX_SIGNED_HEADERS && new Set(names.map((name) => name.toLowerCase())).size === names.length;
}

function isCanonicalList(names: readonly string[]): boolean {
  return names.every(
    (name, index) => name !== '' && name === name.toLowerCase() && (index === 0 || (names[index - 1] ?? '') < name),
  );
}
