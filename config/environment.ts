import { parse as parseYaml } from 'yaml';

const PREFIX = 'S3GW_';
/** Variables with the prefix that are no settings. */
const RESERVED = new Set(['S3GW_CONFIG']);

type Tree = Record<string, unknown>;

/**
 * Lays environment variables over a configuration: `S3GW_LIMITS__HELD_BODY_BYTES=65536` sets
 * `limits.heldBodyBytes`, `S3GW_LISTENERS__0__PORT=9443` the port of the first listener. Segments are
 * parted by two underscores; values are YAML, so lists and booleans can be written.
 */
export function applyEnvironment(base: unknown, environment: Readonly<Record<string, string | undefined>>): unknown {
  const result: unknown = structuredClone(base);
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !name.startsWith(PREFIX) || RESERVED.has(name)) continue;
    set(result, name.slice(PREFIX.length).split('__'), parseYaml(value));
  }
  return result;
}

function set(root: unknown, segments: readonly string[], value: unknown): void {
  let node = root;
  segments.forEach((segment, index) => {
    if (typeof node !== 'object' || node === null) return;
    const tree = node as Tree;
    const key = keyFor(tree, segment);
    if (index === segments.length - 1) {
      tree[key] = value;
      return;
    }
    if (typeof tree[key] !== 'object' || tree[key] === null) {
      tree[key] = /^\d+$/.test(segments[index + 1] ?? '') ? [] : {};
    }
    node = tree[key];
  });
}

/** A key that is there already under another spelling (names of backends), else the segment in camel case. */
function keyFor(tree: Tree, segment: string): string {
  const plain = (text: string): string => text.replaceAll(/[_-]/g, '').toLowerCase();
  return (
    Object.keys(tree).find((key) => plain(key) === plain(segment)) ??
    segment.toLowerCase().replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  );
}
