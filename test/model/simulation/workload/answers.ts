import { type Answer, type Clients, fail } from '../client.ts';
import type { PlannedAction } from '../plan.ts';
import { valueAt } from '../request.ts';

export const VERSION_ID = 'x-amz-version-id';

/** Whose action it is, and about which key. */
export function named({ id, key, account }: PlannedAction): Pick<PlannedAction, 'id' | 'key' | 'account'> {
  return { id, key, account };
}

export function scalar(value: unknown): string {
  return typeof value === 'string' ? value : fail(`no text: ${JSON.stringify(value)}`);
}

export function unquoted(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replaceAll('"', '') : undefined;
}

/** ETags under a key are known by being told. */
export function tellWriter({ recorder }: Clients, id: string, answer: Answer): string | undefined {
  if (answer.kind !== 'response') return undefined;
  const told = unquoted(answer.response.headers?.['etag'] ?? valueAt(answer.response, 'ETag'));
  if (told !== undefined) recorder.alsoWrites(id, told);
  return told;
}
