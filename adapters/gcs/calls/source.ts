import type { CopySource } from '../../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { GcsClient } from '../client.ts';
import { stateOf } from '../resource.ts';
import { getResource } from './read.ts';

/**
 * What a refused copy means. The service says that "one of the conditions" does not hold, or that something is not
 * found, and not whether it is the source's: so the source is looked at.
 */
export async function explainCopyError(
  client: GcsClient,
  source: CopySource,
  error: unknown,
  call: Call,
): Promise<unknown> {
  if (!isStoreError(error, 'conditionFailed', 'notFound', 'containerNotFound')) return error;
  let revision: string;
  try {
    revision = stateOf(await getResource(client, source, { call: 'copySource' }, call)).revision;
  } catch (look) {
    return isStoreError(look, 'notFound', 'containerNotFound')
      ? new StoreError('sourceNotFound', { ...error.detail, cause: error })
      : look;
  }
  if (revision !== source.revision) return new StoreError('sourceConditionFailed', { ...error.detail, cause: error });
  return error.kind === 'conditionFailed'
    ? error
    : new StoreError('containerNotFound', { ...error.detail, cause: error });
}

/** An error of reading the source, in the words of a copy. */
export function asSourceError(error: unknown): unknown {
  if (isStoreError(error, 'conditionFailed')) {
    return new StoreError('sourceConditionFailed', { ...error.detail, cause: error });
  }
  if (isStoreError(error, 'notFound', 'containerNotFound')) {
    return new StoreError('sourceNotFound', { ...error.detail, cause: error });
  }
  return error;
}
