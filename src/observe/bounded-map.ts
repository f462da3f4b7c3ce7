/** Puts an entry at the end of a map, which is in the order of insertion. Above `most` entries, the oldest goes. */
export function keepNewest<T>(map: Map<string, T>, name: string, entry: T, most: number): void {
  map.delete(name);
  map.set(name, entry);
  if (map.size > most) map.delete(map.keys().next().value ?? '');
}

/** The same for a set. */
export function keepNewestName(set: Set<string>, name: string, most: number): void {
  set.delete(name);
  set.add(name);
  if (set.size > most) set.delete(set.keys().next().value ?? '');
}
