/** A policy's text as a value, or why it is none. */
type ParsedJson = { readonly value: unknown } | { readonly duplicate: string } | { readonly broken: true };

const STRING = /"(?:[^"\\]|\\.)*"/y;

/**
 * Parses JSON, and refuses an object that has one name twice: of two Conditions, `JSON.parse` would keep the last in
 * silence. Names are told apart as they are written and as they read.
 */
export function parseJson(text: string): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { broken: true };
  }
  const duplicate = duplicateName(text);
  return duplicate === undefined ? { value } : { duplicate };
}

/** @param text valid JSON */
function duplicateName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let expectsName = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '{' || char === '[') {
      expectsName = char === '{';
      open.push(expectsName ? new Set() : undefined);
    } else if (char === '}' || char === ']') {
      open.pop();
      expectsName = false;
    } else if (char === ',') {
      expectsName = open.at(-1) !== undefined;
    } else if (char === '"') {
      STRING.lastIndex = at;
      const [quoted = '"'] = STRING.exec(text) ?? [];
      at += quoted.length - 1;
      if (!expectsName) continue;
      expectsName = false;
      const name = JSON.parse(quoted) as string;
      const names = open.at(-1);
      if (names?.has(name) === true) return name;
      names?.add(name);
    }
  }
  return undefined;
}
