import type { BlobMetadata } from '../../../src/store/blob-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { content, short } from './gate.ts';

/** What came of a backend call. */
type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** Of the times that these tests play in. */
const TOKEN = /\b1[9a][0-9a-f]{30}\b/g;

/** Tokens and names in short. */
export function shortenNames(text: string): string {
  return text.replaceAll(/v\/uid\/[^ !]*!!/g, 'v/').replaceAll(TOKEN, short);
}

/** All that a client could take from it. */
export function wholeOutcome(outcome: Outcome): string {
  if ('error' in outcome) return nameOf(outcome.error);
  return JSON.stringify(outcome, (name, value: unknown) => (name === 'body' ? undefined : value));
}

/** What decides: records and revisions. */
export function shortOutcome(outcome: Outcome): string {
  if ('error' in outcome) return nameOf(outcome.error);
  const { value } = outcome;
  if (typeof value !== 'object' || value === null) return 'ok';
  if ('entries' in value && Array.isArray(value.entries)) return `[${value.entries.map(shortBlob).join(', ')}]`;
  return shortBlob('properties' in value ? value.properties : value);
}

function shortBlob(value: unknown): string {
  const { name, metadata, revision } = value as { name?: string; metadata?: BlobMetadata; revision?: string };
  const parts = [name, metadata && content(metadata), revision && `@${revision}`];
  return parts.filter((part) => part !== undefined).join(' ') || JSON.stringify(value);
}

function nameOf(error: unknown): string {
  return error instanceof StoreError ? error.kind : String(error);
}
