import { StoreError } from '../../src/store/store-error.ts';

/**
 * The service says of each page what it is a page of, even when nothing is on it. An answer that does not comes from
 * something in between, such as a proxy: if it counted as an empty page, a bucket would seem empty and could be deleted
 * with all that is in it.
 * @param call port method @throws StoreError unexpected
 */
export function checkKind(page: { readonly kind?: unknown }, kind: string, call: string): void {
  if (page.kind !== kind) throw new StoreError('unexpected', { call, cause: new Error(`answer is no ${kind}`) });
}
