type Query = readonly (readonly [name: string, value: string])[];

/** Path and query as they go on the wire. `path` is percent-encoded already, names and values are not. */
export function joinTarget(path: string, query: Query = []): string {
  let whole = path;
  let separator = '?';
  for (const [name, value] of query) {
    whole += `${separator}${name}=${encodeURIComponent(value)}`;
    separator = '&';
  }
  return whole;
}
