import { createHash, randomBytes } from 'node:crypto';
import {
  ABSENT,
  type AssembleRequest,
  type BlobRef,
  type ByteRange,
  type CopySource,
  type PartToken,
  type StagedPart,
  type WriteResult,
} from '../../../src/store/blob-store.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import { type Call, withSignal } from '../../../src/observe/call.ts';
import type { UploadBody } from '../../../src/streams/bytes.ts';
import { mapOrAbort } from '../../../src/streams/map-concurrent.ts';
import type { AzureClient } from '../client.ts';
import { sendCopy, sourceHeaders } from './copy-send.ts';
import { byUrlOrThroughHere, streamBlock } from './copy-stream.ts';
import { blobPath } from '../endpoint.ts';
import { conditionHeaders, contentHeaders, metadataHeaders, tierHeader } from '../headers.ts';
import { md5ToBase64 } from '../../shared/md5.ts';
import { splitBody } from '../../../src/streams/split-body.ts';
import { remove, writeResult } from './write.ts';

/**
 * Block ids of one blob must have one length; random ones let attempts and writers stage beside
 * each other. 18 bytes are 24 base64 characters without padding.
 */
function newBlockId(): PartToken {
  return randomBytes(18).toString('base64');
}

/** Put Block, several if the body is above the limit of one. */
export async function stagePart(
  client: AzureClient,
  staging: BlobRef,
  body: UploadBody,
  call: Call,
): Promise<StagedPart> {
  const tokens: PartToken[] = [];
  for (const block of splitBody(body, client.limits.maxStagedBlock)) {
    tokens.push(await putBlock(client, staging, block, call));
  }
  return { tokens };
}

async function putBlock(client: AzureClient, staging: BlobRef, body: UploadBody, call: Call): Promise<PartToken> {
  const id = newBlockId();
  await client.rest.sendForHeaders(
    {
      call: 'stagePart',
      method: 'PUT',
      path: blobPath(client.endpoint, staging),
      query: [
        ['blockid', id],
        ['comp', 'block'],
      ],
      contentMd5: body instanceof Uint8Array ? createHash('md5').update(body).digest('base64') : undefined,
      body,
      effect: 'change',
    },
    call,
  );
  return id;
}

interface BlockFromUrl {
  readonly target: BlobRef;
  readonly source: CopySource;
  readonly range: Required<ByteRange>;
  /** Port method. */
  readonly call: string;
}

/** Put Block From URL. Its answer's MD5 is not relied on: it may be absent. */
async function putBlockFrom(client: AzureClient, block: BlockFromUrl, call: Call): Promise<PartToken> {
  const id = newBlockId();
  const { first, last } = block.range;
  await sendCopy(
    client,
    {
      call: block.call,
      method: 'PUT',
      path: blobPath(client.endpoint, block.target),
      query: [
        ['blockid', id],
        ['comp', 'block'],
      ],
      ms: [...(await sourceHeaders(client.sources, block.source, call)), 'x-ms-source-range', `bytes=${first}-${last}`],
      effect: 'change',
      copies: true,
      pace: 'copy',
    },
    block.source,
    call,
  );
  return id;
}

interface StageFrom {
  readonly staging: BlobRef;
  readonly source: CopySource;
  readonly range: Required<ByteRange>;
}

/**
 * Put Block From URL for every range of the source; the first failure ends the others. A copy of 5 TiB, the largest
 * object, is 20,480 blocks of the 50,000 that a blob may have.
 */
export async function stagePartFrom(
  client: AzureClient,
  { staging, source, range }: StageFrom,
  call: Call,
): Promise<StagedPart> {
  const { copyRange, maxStagedBlock, copyParallel } = client.limits;
  const ranges = splitRange(range, Math.min(copyRange, maxStagedBlock));
  // Node takes as long to clean up behind a signal made of others as for the rest of such a call.
  if (ranges.length === 1) return { tokens: [await stagePiece(client, { staging, source, range }, call)] };
  const tokens = await mapOrAbort(ranges, { limit: copyParallel, signal: call.signal }, (piece, signal) =>
    stagePiece(client, { staging, source, range: piece }, withSignal(call, signal)),
  );
  return { tokens };
}

function stagePiece(client: AzureClient, { staging, source, range }: StageFrom, call: Call): Promise<PartToken> {
  const byUrl = (): Promise<PartToken> =>
    putBlockFrom(client, { target: staging, source, range, call: 'stagePartFrom' }, call);
  const throughHere = (): Promise<PartToken> =>
    streamBlock(client, { source, range, put: (body) => putBlock(client, staging, body, call) }, call);
  return byUrlOrThroughHere(client, { source, byUrl, throughHere }, call);
}

interface Assembly extends AssembleRequest {
  readonly target: BlobRef;
  /** Port method. */
  readonly call: string;
}

export function assemble(
  client: AzureClient,
  staging: BlobRef,
  request: AssembleRequest,
  call: Call,
): Promise<WriteResult> {
  return putBlockList(client, { ...request, target: staging, call: 'assemble' }, call);
}

/** Put Block List. */
export async function putBlockList(client: AzureClient, assembly: Assembly, call: Call): Promise<WriteResult> {
  const md5 = assembly.md5 === undefined ? [] : ['x-ms-blob-content-md5', md5ToBase64(assembly.md5)];
  const headers = await client.rest.sendForHeaders(
    {
      call: assembly.call,
      method: 'PUT',
      path: blobPath(client.endpoint, assembly.target),
      query: [['comp', 'blocklist']],
      ms: [
        ...contentHeaders(assembly.headers),
        ...md5,
        ...tierHeader(assembly.tier),
        ...metadataHeaders(assembly.metadata),
      ],
      contentType: 'application/xml',
      ...conditionHeaders(assembly.condition),
      body: blockList(assembly.tokens),
      effect: 'change',
      pace: 'assemble',
    },
    call,
  );
  // The answer's Content-MD5 is that of the list, not of the blob.
  return writeResult(headers, undefined, assembly.call);
}

/** Ids are base64: nothing to escape. */
function blockList(tokens: readonly PartToken[]): Uint8Array {
  const blocks = tokens.map((token) => `<Latest>${token}</Latest>`).join('');
  return Buffer.from(`<?xml version="1.0" encoding="utf-8"?><BlockList>${blocks}</BlockList>`);
}

/**
 * Frees uncommitted blocks. They cannot be deleted, but a commit throws away those it does not name: so an empty blob
 * is put in the staging blob's place and removed again. If that place has an assembled blob already, there is nothing
 * left to free: its own commit did it.
 */
export async function discardParts(client: AzureClient, staging: BlobRef, call: Call): Promise<void> {
  const claim: Assembly = { call: 'discardParts', target: staging, tokens: [], metadata: {}, condition: ABSENT };
  try {
    const { revision } = await putBlockList(client, claim, call);
    await remove(client, staging, revision, call);
  } catch (error) {
    if (!isStoreError(error, 'conditionFailed', 'notFound')) throw error;
  }
}

/** Ranges of at most `most` bytes that together are `range`. */
function splitRange(range: Required<ByteRange>, most: number): Required<ByteRange>[] {
  const pieces: Required<ByteRange>[] = [];
  for (let first = range.first; first <= range.last; first += most) {
    pieces.push({ first, last: Math.min(range.last, first + most - 1) });
  }
  return pieces;
}
