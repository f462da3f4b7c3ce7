import { isObject } from './resource.ts';

interface Selection {
  readonly [field: string]: Selection | 'all';
}

/**
 * What `fields` leaves of an answer (https://cloud.google.com/storage/docs/json_api#partial-response): `a,b(c,d),e/f`.
 */
export function partial(value: unknown, fields: string | null): unknown {
  return fields === null || fields === '*' ? value : select(value, parseSelection(fields));
}

function select(value: unknown, selection: Selection | 'all'): unknown {
  if (selection === 'all') return value;
  if (Array.isArray(value)) return value.map((item: unknown) => select(item, selection));
  if (!isObject(value)) return value;
  const kept = Object.entries(selection).filter(([field]) => value[field] !== undefined);
  return Object.fromEntries(kept.map(([field, inner]) => [field, select(value[field], inner)]));
}

function parseSelection(text: string): Selection {
  const selection: Record<string, Selection | 'all'> = {};
  for (const item of topLevel(text)) {
    const match = /^(\w+)(?:\((.*)\)|\/(.+))?$/s.exec(item.trim());
    const [, name, group, path] = match ?? [];
    if (name === undefined) continue;
    const inner = group ?? path;
    selection[name] = inner === undefined ? 'all' : parseSelection(inner);
  }
  return selection;
}

function topLevel(text: string): string[] {
  const items: string[] = [];
  let [depth, start] = [0, 0];
  for (let i = 0; i <= text.length; i += 1) {
    const character = text[i];
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character !== undefined && (character !== ',' || depth > 0)) continue;
    items.push(text.slice(start, i));
    start = i + 1;
  }
  return items;
}
