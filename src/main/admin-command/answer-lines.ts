/**
 * An answer of the admin port for a person: a line for each of its members, then its lists as tables. An answer that is
 * one list is that table.
 */
export function answerLines(answer: object): string[] {
  const members = Object.entries(answer);
  const lists = members.flatMap(([name, value]) => (isTable(value) ? [{ name, rows: value }] : []));
  const others = members.filter(([, value]) => !isTable(value));
  const [only] = lists;
  const isList = only !== undefined && lists.length === 1 && others.every(([name]) => name === 'more');
  if (isList) return tableLines(only.rows);
  return [...memberLines(others), ...lists.flatMap(({ name, rows }) => [`${name}:`, ...tableLines(rows)])];
}

function isTable(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null);
}

function memberLines(members: readonly (readonly [name: string, value: unknown])[]): string[] {
  const width = Math.max(0, ...members.map(([name]) => name.length));
  return members.map(([name, value]) => `${name.padEnd(width)}  ${textOf(value)}`);
}

function tableLines(rows: readonly object[]): string[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => {
    const texts = new Map<string, unknown>(Object.entries(row));
    return columns.map((column) => textOf(texts.get(column)));
  });
  const all = rows.length === 0 ? [] : [columns, ...cells];
  const widths = columns.map((_, at) => Math.max(...all.map((line) => line[at]?.length ?? 0)));
  return all.map((line) =>
    line
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Text as it is, all else as JSON. */
function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
