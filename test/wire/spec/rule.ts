import { beforeEach } from 'vitest';
import { RULES, type RuleId } from './rules.ts';

const named = new Set<string>();

/**
 * Title of a test that shows a rule, or several. In tables it stands in the first column.
 * The page of the rules is made from the sources: ids and title are written as plain strings, in one line.
 */
export function rule(ids: RuleId | readonly RuleId[], title: string): string {
  const list = typeof ids === 'string' ? [ids] : ids;
  const unknown = list.find((id) => !Object.hasOwn(RULES, id));
  if (unknown !== undefined) throw new Error(`no rule ${unknown}`);
  const full = `${title} [${list.join(', ')}]`;
  named.add(full);
  return full;
}

beforeEach(({ task }) => {
  const shown = [...named].some((title) => task.name.includes(title) || task.suite?.name.includes(title) === true);
  if (!shown) throw new Error(`${task.name}: names no rule`);
});
