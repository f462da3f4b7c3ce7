import type { Config } from './schema.ts';
import { MANAGED_DOCUMENT, type ManagedDocument } from './schema-managed.ts';
import { ConfigError, plainMessage, settingLines } from './setting-lines.ts';

/** Before the first change. */
export const EMPTY_DOCUMENT: ManagedDocument = { format: 1, change: '', accounts: [], buckets: [] };

/** @param text empty: nothing was written yet @throws ConfigError; never with what stands in the text */
export function parseManagedDocument(text: string): ManagedDocument {
  if (text.trim() === '') return EMPTY_DOCUMENT;
  const { success, data, error } = MANAGED_DOCUMENT.safeParse(jsonOf(text), { error: plainMessage });
  if (!success) throw new ConfigError(settingLines(error).map((line) => `managed accounts: ${line}`));
  return data;
}

/** Without the parser's own error, which quotes the text: secrets stand in there. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(['managed accounts: the document is no JSON']);
  }
}

/** The quotas of buckets with those of the document, which decide first. */
export function withManagedQuotas(quotas: Config['quotas'], { buckets }: ManagedDocument): Config['quotas'] {
  return {
    ...quotas,
    buckets: [...buckets.map(({ name, quota }) => ({ pattern: name, ...quota })), ...quotas.buckets],
  };
}
