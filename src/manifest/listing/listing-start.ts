import { compareUtf8, successorOfPrefix } from '../../store/name-order.ts';
import { type ListingRequest, rollUp } from './listing-entry.ts';

/** Where a listing begins, in keys. */
export interface ListingStart {
  readonly key: string;
  readonly inclusive: boolean;
}

/** First key to be looked at; undefined for all of them, `end` when nothing with the prefix can follow. */
export function startOf(request: ListingRequest): ListingStart | 'end' | undefined {
  const { after, prefix } = request;
  if (!after.startsWith(prefix)) return compareUtf8(after, prefix) < 0 ? undefined : 'end';
  if (after === '') return undefined;
  const rolledUp = rollUp(after, request);
  if (rolledUp === undefined) return { key: after, inclusive: false };
  const next = successorOfPrefix(rolledUp);
  return next?.startsWith(prefix) === true ? { key: next, inclusive: true } : 'end';
}

/** A key that the listing has passed. */
export function isBefore(key: string, start: ListingStart): boolean {
  const order = compareUtf8(key, start.key);
  return order < 0 || (order === 0 && !start.inclusive);
}
