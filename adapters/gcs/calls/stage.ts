import { ABSENT } from '../../../src/store/blob-store.ts';
import type { BlobRef, ByteRange, CopySource, StagedPart } from '../../../src/store/blob-store.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { UploadBody } from '../../../src/streams/bytes.ts';
import type { GcsClient } from '../client.ts';
import { newPartToken, stagedPartName, stagedPrefix } from '../private-names.ts';
import { newResource } from '../resource.ts';
import { rewrite } from './copy.ts';
import { list } from './list.ts';
import { makePrivate } from './private-object.ts';
import { getResource, read } from './read.ts';
import { removeNames } from './remove-many.ts';
import { asSourceError } from './source.ts';
import { write } from './write.ts';

const NO_METADATA = { metadata: {} };

/** A part is an object of its own, beside the staging blob. */
export function stagePart(client: GcsClient, part: Omit<NewPart, 'name'>, call: Call): Promise<StagedPart> {
  return upload(client, { ...part, name: 'stagePart' }, call);
}

interface NewPart {
  readonly staging: BlobRef;
  readonly body: UploadBody;
  /** Hex MD5 known before the body. */
  readonly md5?: string | undefined;
  /** Port method. */
  readonly name: string;
}

async function upload(client: GcsClient, { staging, body, md5, name }: NewPart, call: Call): Promise<StagedPart> {
  const { token, ref } = newPart(staging);
  const request = { ...NO_METADATA, condition: ABSENT, ...(md5 !== undefined && { md5 }) };
  let said: string | undefined;
  const send = async (): Promise<void> => {
    said = (await write(client, { ref, body, request, call: name }, call)).md5;
    if (said === undefined) client.digests.contradicted();
  };
  await makePrivate(client, send, body instanceof Uint8Array, call);
  return { tokens: [token], ...(said !== undefined && { md5: said }) };
}

interface StageFrom {
  readonly staging: BlobRef;
  readonly source: CopySource;
  readonly range: Required<ByteRange>;
}

/**
 * The service copies whole objects, not ranges: those pass through here, in bounded memory. The trace says which it
 * was.
 */
export async function stagePartFrom(client: GcsClient, stage: StageFrom, call: Call): Promise<StagedPart> {
  const { source, range } = stage;
  const whole = range.first === 0 && (source.size ?? (await sizeOfSource(client, source, call))) === range.last + 1;
  call.facts.note('backend.part_copy', whole ? 'rewrite' : 'stream');
  return whole ? rewritePart(client, stage, call) : streamPart(client, stage, call);
}

async function sizeOfSource(client: GcsClient, source: CopySource, call: Call): Promise<number> {
  try {
    return Number((await getResource(client, source, { call: 'stagePartFrom', revision: source.revision }, call)).size);
  } catch (error) {
    throw asSourceError(error);
  }
}

async function rewritePart(client: GcsClient, { staging, source }: StageFrom, call: Call): Promise<StagedPart> {
  const { token, ref } = newPart(staging);
  const send = (): Promise<unknown> =>
    rewrite(
      client,
      { call: 'stagePartFrom', source, target: ref, resource: newResource(NO_METADATA), condition: ABSENT },
      call,
    );
  await makePrivate(client, send, true, call);
  return { tokens: [token] };
}

async function streamPart(client: GcsClient, { staging, source, range }: StageFrom, call: Call): Promise<StagedPart> {
  const { body } = await read(client, source, { range, revision: source.revision }, call).catch((error: unknown) => {
    throw asSourceError(error);
  });
  try {
    return await upload(
      client,
      { staging, body: { size: body.size, stream: body.stream() }, name: 'stagePartFrom' },
      call,
    );
  } catch (error) {
    // To the upload, a source that breaks off is a body that failed; to the caller, it is the service.
    throw isStoreError(error, 'aborted') && isStoreError(error.cause) ? error.cause : error;
  }
}

function newPart({ container, name }: BlobRef): { token: string; ref: BlobRef } {
  const token = newPartToken();
  return { token, ref: { container, name: stagedPartName({ container, name }, token) ?? '' } };
}

/** Removes everything that any request staged for a blob. */
export async function discardParts(client: GcsClient, staging: BlobRef, call: Call): Promise<void> {
  const prefix = stagedPrefix(staging);
  let token: string | undefined;
  do {
    const page = await list(
      client,
      staging.container,
      { prefix, limit: 1000, ...(token !== undefined && { token }) },
      call,
    ).catch(noContainer);
    await removeNames(
      client,
      staging.container,
      page.entries.map(({ name }) => name),
      call,
    );
    token = page.nextToken;
  } while (token !== undefined);
}

function noContainer(error: unknown): Awaited<ReturnType<typeof list>> {
  if (isStoreError(error, 'containerNotFound')) return { entries: [] };
  throw error;
}
