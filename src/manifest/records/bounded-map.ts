/** Puts an entry at the end of a map in the order of insertion. Above `most` entries, the oldest goes. */
export function keepNewest<T>(map: Map<string, T>, name: string, entry: T, most: number): void {
  map.delete(name);
  map.set(name, entry);
  if (map.size > most) map.delete(map.keys().next().value ?? '');
}
