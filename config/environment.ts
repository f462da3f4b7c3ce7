import { ConfigError } from './setting-lines.ts';
import { readYaml } from './read-yaml.ts';

const PREFIX = 'S3GW_';
/** Variables that have the prefix but are not settings. */
const RESERVED = new Set(['S3GW_CONFIG', 'S3GW_PLAIN']);
const INDEX = /^\d+$/;

type Tree = Record<string, unknown>;

/** A configuration with the settings of the environment, and which variable each of them came from. */
interface Overridden {
  readonly settings: unknown;
  /**
   * The variable that a setting came from, or that made the section around it, by the path of the setting
   * (`listeners.0.port`).
   */
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * Lays environment variables over a configuration: `S3GW_LIMITS__HELD_BODY_BYTES=65536` sets `limits.heldBodyBytes`,
 * `S3GW_LISTENERS__0__PORT=9443` the port of the first listener. Two underscores separate the segments of a path.
 * Values are YAML, so that lists and booleans can be written.
 * @throws ConfigError naming the variable that is no YAML, or means no member of a list
 */
export function applyEnvironment(base: unknown, environment: Readonly<Record<string, string | undefined>>): Overridden {
  const settings: unknown = structuredClone(base);
  const variables = new Map<string, string>();
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !name.startsWith(PREFIX) || RESERVED.has(name)) continue;
    const made = set(settings, name, readYaml(value, name));
    if (made !== undefined) variables.set(made, name);
  }
  return { settings, variables };
}

/** @returns the path of what the variable added: its setting, or the outermost section that was not there before */
function set(root: unknown, variable: string, value: unknown): string | undefined {
  const segments = variable.slice(PREFIX.length).split('__');
  const path: string[] = [];
  let made: string | undefined;
  let node = root;
  segments.forEach((segment, index) => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node) && !INDEX.test(segment)) {
      throw new ConfigError([`${variable}: expected a place in the list, from 0, instead of ${segment}`]);
    }
    const tree = node as Tree;
    const key = keyFor(tree, segment);
    path.push(key);
    if (index === segments.length - 1) {
      tree[key] = value;
      made ??= path.join('.');
      return;
    }
    if (typeof tree[key] !== 'object' || tree[key] === null) {
      made ??= path.join('.');
      tree[key] = INDEX.test(segments[index + 1] ?? '') ? [] : {};
    }
    node = tree[key];
  });
  return made;
}

/** The existing key that is the same but for its spelling (names of backends), else the segment in camel case. */
function keyFor(tree: Tree, segment: string): string {
  const plain = (text: string): string => text.replaceAll(/[_-]/g, '').toLowerCase();
  return (
    Object.keys(tree).find((key) => plain(key) === plain(segment)) ??
    segment.toLowerCase().replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  );
}
