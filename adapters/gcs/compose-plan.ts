/** Most sources of one compose (https://cloud.google.com/storage/docs/composite-objects). */
export const FAN_IN = 32;

/** Items in their order, in groups of at most `FAN_IN`. */
export function groupsOf<T>(items: readonly T[]): T[][] {
  const groups: T[][] = [];
  for (let at = 0; at < items.length; at += FAN_IN) groups.push(items.slice(at, at + FAN_IN));
  return groups;
}

/**
 * Composes that make intermediates, level by level, before the last one: 10,000 parts take 313 and 10, then the last. A
 * group of one goes up a level as it is.
 */
export function intermediateComposes(parts: number): number[] {
  const levels: number[] = [];
  for (let left = parts; left > FAN_IN; left = Math.ceil(left / FAN_IN)) levels.push(Math.ceil((left - 1) / FAN_IN));
  return levels;
}
