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
import { type UploadBody, bodySize } from '../../../src/streams/bytes.ts';
import { mapOrAbort } from '../../../src/streams/map-concurrent.ts';
import type { AzureClient } from '../client.ts';
import { sendCopy, sourceHeaders } from './copy-send.ts';
import { byUrlOrThroughHere, streamBlock } from './copy-stream.ts';
import { blobPath } from '../endpoint.ts';
import { conditionHeaders, contentHeaders, metadataHeaders, tierHeader } from '../headers.ts';
import { md5ToBase64, md5ToHex } from '../../shared/md5.ts';
import { headerText } from '../../shared/wire/transport.ts';
import { splitBody } from '../../../src/streams/split-body.ts';
import { remove, writeResult } from './write.ts';

/**
 * Block ids of one blob must have one length; random ones let attempts and writers stage beside
 * each other. 18 bytes are 24 base64 characters without padding.
 */
function newBlockId(): PartToken {
  return randomBytes(18).toString('base64');
}

interface Block {
  readonly staging: BlobRef;
  readonly body: UploadBody;
  /** Hex MD5 known before the body. */
  readonly md5?: string | undefined;
}

/** Put Block, several if the body is above the limit of one. */
export async function stagePart(client: AzureClient, { staging, body, md5 }: Block, call: Call): Promise<StagedPart> {
  const { maxStagedBlock } = client.limits;
  if (bodySize(body) <= maxStagedBlock) {
    const { token, ...said } = await putBlock(client, { staging, body, md5 }, call);
    return { tokens: [token], ...said };
  }
  const tokens: PartToken[] = [];
  for (const block of splitBody(body, maxStagedBlock)) {
    tokens.push((await putBlock(client, { staging, body: block }, call)).token);
  }
  return { tokens };
}

/**
 * The last version that answers Put Block with the MD5 that the service computed; later ones answer a CRC64
 * (docs/decisions/0046-parts-hashed-by-the-service.md). It takes tokens of Microsoft Entra ID, as all since 2017-11-09,
 * but knows neither keys of customers nor encryption scopes.
 */
export const HASHING_VERSION = '2018-11-09';
/** The largest block of that version: https://learn.microsoft.com/rest/api/storageservices/put-block */
const MAX_HASHED_BLOCK = 100 * 1024 * 1024;

/** Whether the service will say the MD5 of a part of so many bytes. A block that is never committed tells. */
export async function promisesMd5(
  client: AzureClient,
  { staging, size }: { readonly staging: BlobRef; readonly size: number },
  call: Call,
): Promise<boolean> {
  if (size > Math.min(MAX_HASHED_BLOCK, client.limits.maxStagedBlock)) return false;
  return client.digests.learn(async () => {
    const said = await sendBlock(client, { staging, body: QUESTION, version: HASHING_VERSION }, call);
    return said.md5 === createHash('md5').update(QUESTION).digest('hex');
  });
}

const QUESTION = Buffer.from('what is the MD5 of this?');

interface StagedBlock {
  readonly token: PartToken;
  readonly md5?: string;
}

async function putBlock(client: AzureClient, block: Block, call: Call): Promise<StagedBlock> {
  const { body, md5 } = block;
  if (!client.digests.active || bodySize(body) > MAX_HASHED_BLOCK) {
    const own = body instanceof Uint8Array ? createHash('md5').update(body).digest('hex') : undefined;
    return sendBlock(client, { ...block, md5: md5 ?? own }, call);
  }
  try {
    const staged = await sendBlock(client, { ...block, version: HASHING_VERSION }, call);
    if (staged.md5 === undefined) client.digests.contradicted();
    return staged;
  } catch (error) {
    // The service takes this version no longer.
    if (isStoreError(error, 'unexpected')) client.digests.contradicted();
    throw error;
  }
}

async function sendBlock(
  client: AzureClient,
  { staging, body, md5, version }: Block & { readonly version?: string },
  call: Call,
): Promise<StagedBlock> {
  const id = newBlockId();
  const headers = await client.rest.sendForHeaders(
    {
      call: 'stagePart',
      method: 'PUT',
      path: blobPath(client.endpoint, staging),
      query: [
        ['blockid', id],
        ['comp', 'block'],
      ],
      version,
      contentMd5: md5 === undefined ? undefined : md5ToBase64(md5),
      body,
      effect: 'change',
    },
    call,
  );
  const said = md5ToHex(headerText(headers, 'content-md5') ?? '');
  return { token: id, ...(said !== undefined && { md5: said }) };
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
    streamBlock(
      client,
      { source, range, put: async (body) => (await putBlock(client, { staging, body }, call)).token },
      call,
    );
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
