import type { BlobStore } from '../../src/store/blob-store.ts';
import type { SurveyedStore } from '../../src/store/survey.ts';
import { bindCalls } from '../shared/bind-calls.ts';
import * as containers from './calls/containers.ts';
import { copy } from './calls/copy.ts';
import { list } from './calls/list.ts';
import { head, read } from './calls/read.ts';
import { removeMany } from './calls/remove-many.ts';
import { assemble, discardParts, stagePart, stagePartFrom } from './calls/stage.ts';
import { survey } from './calls/survey.ts';
import { remove, setMetadata, write } from './calls/write.ts';
import { azureCapabilities } from './capabilities.ts';
import type { AzureClient } from './client.ts';

export type AzureBlobStore = BlobStore & Required<SurveyedStore>;

/** Port methods that are the calls of `calls/`, with the client settled. */
const CALLS = {
  ...containers,
  copy,
  list,
  head,
  read,
  remove,
  removeMany,
  stagePart,
  assemble,
  discardParts,
  survey,
};

/** Azure Blob Storage behind the port. */
export function azureStore(client: AzureClient): AzureBlobStore {
  return {
    kind: 'azure',
    capabilities: azureCapabilities(client.limits),
    clock: client.rest.clock,
    lanes: () => client.rest.lanes(),
    copyFallback: client.refusals,
    ...bindCalls(client, CALLS),
    write: (ref, body, request, call) => write(client, { ref, body, request }, call),
    setMetadata: (ref, metadata, condition, call) => setMetadata(client, { ref, metadata, condition }, call),
    stagePartFrom: (staging, source, range, call) => stagePartFrom(client, { staging, source, range }, call),
    close: () => client.rest.close(),
  };
}
