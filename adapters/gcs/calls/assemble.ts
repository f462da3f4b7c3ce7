import { ABSENT } from '../../../src/store/blob-store.ts';
import type { AssembleRequest, BlobRef, Condition, WriteResult } from '../../../src/store/blob-store.ts';
import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import { withSignal } from '../../../src/observe/call.ts';
import type { Call } from '../../../src/observe/call.ts';
import { mapOrAbort } from '../../../src/streams/map-concurrent.ts';
import type { GcsClient } from '../client.ts';
import { FAN_IN, groupsOf } from '../compose-plan.ts';
import { changeOf, objectPath } from '../paths.ts';
import { newIntermediateName, stagedPartName } from '../private-names.ts';
import { jsonBody } from '../request.ts';
import { WRITTEN, newResource, writeResult } from '../resource.ts';
import type { ObjectResource } from '../resource.ts';
import { conditionQuery } from '../revision.ts';
import { makePrivate } from './private-object.ts';
import { head } from './read.ts';
import { removeNames } from './remove-many.ts';
import { requireTier } from './tiers.ts';
import { write } from './write.ts';

const EMPTY = new Uint8Array(0);

/**
 * Puts parts together with compose, 32 at a time; more than 32 through intermediate objects, level by level. Only the
 * last compose makes the visible blob, with its condition and metadata. Then the parts and intermediates are removed.
 * If it does not come to that, `discardParts` removes what is left.
 */
export async function assemble(
  client: GcsClient,
  staging: BlobRef,
  request: AssembleRequest,
  call: Call,
): Promise<WriteResult> {
  const { tokens, headers, metadata, condition, md5, tier } = request;
  if (tokens.length === 0) {
    const claim = {
      metadata,
      ...(headers !== undefined && { headers }),
      ...(tier !== undefined && { tier }),
      ...(condition !== undefined && { condition }),
    };
    return write(client, { ref: staging, body: EMPTY, request: claim, call: 'assemble' }, call);
  }
  await requireTier(client, staging.container, { tier, name: 'assemble' }, call);
  const parts = tokens.map((token) => stagedPartName(staging, token));
  if (!parts.every((name) => name !== undefined)) throw new StoreError('partsGone', { call: 'assemble' });
  // It is not even begun when the condition does not hold.
  if (parts.length > FAN_IN) await checkCondition(client, staging, condition, call);
  const intermediates: string[] = [];
  try {
    const sources = await narrow(client, { staging, sources: parts, intermediates }, call);
    const resource = newResource({ headers, metadata, recordedMd5: md5, tier });
    const result = await compose(client, { target: staging, sources, resource, condition }, call);
    removeLater(client, staging.container, [...intermediates, ...new Set(parts)], call);
    return result;
  } catch (error) {
    removeLater(client, staging.container, intermediates, call);
    if (!isStoreError(error, 'notFound')) throw error;
    // The service may look at the sources before it looks at the condition.
    await checkCondition(client, staging, condition, call);
    throw new StoreError('partsGone', { ...error.detail, cause: error });
  }
}

interface Narrowing {
  readonly staging: BlobRef;
  readonly sources: readonly string[];
  /** Names of what was made on the way. */
  readonly intermediates: string[];
}

/** At most 32 objects that together are the sources. The first failure ends the others. */
async function narrow(
  client: GcsClient,
  { staging, sources, intermediates }: Narrowing,
  call: Call,
): Promise<readonly string[]> {
  if (sources.length <= FAN_IN) return sources;
  const limits = { limit: client.limits.composeParallel, signal: call.signal };
  let level = sources;
  while (level.length > FAN_IN) {
    level = await mapOrAbort(groupsOf(level), limits, async (group, signal) => {
      const [only] = group;
      if (only !== undefined && group.length === 1) return only;
      const inner = withSignal(call, signal);
      const name = newIntermediateName(staging);
      intermediates.push(name);
      const target = { container: staging.container, name };
      const step = { target, sources: group, resource: newResource({ metadata: {} }), condition: ABSENT };
      await makePrivate(client, () => compose(client, step, inner), true, inner);
      return name;
    });
  }
  return level;
}

interface Composition {
  readonly target: BlobRef;
  /** Names in the target's bucket. */
  readonly sources: readonly string[];
  readonly resource: object;
  readonly condition: Condition | undefined;
}

/**
 * https://cloud.google.com/storage/docs/json_api/v1/objects/compose. Names of sources are used once only, so they need
 * no generation.
 */
async function compose(
  client: GcsClient,
  { target, sources, resource, condition }: Composition,
  call: Call,
): Promise<WriteResult> {
  const composed = await client.rest.sendForJson<ObjectResource>(
    {
      call: 'assemble',
      method: 'POST',
      path: `${objectPath(client, target)}/compose`,
      query: [...conditionQuery(condition), ['fields', WRITTEN]],
      ...jsonBody({ sourceObjects: sources.map((name) => ({ name })), destination: resource }),
      effect: 'change',
      changes: changeOf(client, target),
      missing: 'object',
      pace: 'assemble',
    },
    call,
  );
  return writeResult(composed, 'assemble');
}

/** @throws StoreError conditionFailed */
async function checkCondition(
  client: GcsClient,
  ref: BlobRef,
  condition: Condition | undefined,
  call: Call,
): Promise<void> {
  if (condition === undefined) return;
  const current = await head(client, ref, call).catch((error: unknown) => {
    if (isStoreError(error, 'notFound')) return undefined;
    throw error;
  });
  const holds = condition.kind === 'absent' ? current === undefined : current?.revision === condition.revision;
  if (!holds) throw new StoreError('conditionFailed', { call: 'assemble' });
}

function removeLater(client: GcsClient, container: string, names: readonly string[], call: Call): void {
  if (names.length === 0) return;
  client.background.run(call, (own) => removeNames(client, container, names, own));
}
