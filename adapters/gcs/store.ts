import type { BlobStore } from '../../src/store/blob-store.ts';
import type { SurveyedStore } from '../../src/store/survey.ts';
import { bindCalls } from '../shared/bind-calls.ts';
import { assemble } from './calls/assemble.ts';
import * as containers from './calls/containers.ts';
import { copy } from './calls/copy.ts';
import { list } from './calls/list.ts';
import { head, read } from './calls/read.ts';
import { removeMany } from './calls/remove-many.ts';
import { discardParts, stagePart, stagePartFrom } from './calls/stage.ts';
import { survey } from './calls/survey.ts';
import { remove, setMetadata, write } from './calls/write.ts';
import { gcsCapabilities } from './capabilities.ts';
import type { GcsClient } from './client.ts';
import { STAGED_NAMES } from './private-names.ts';

export type GcsBlobStore = BlobStore & Required<SurveyedStore>;

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

/** Google Cloud Storage behind the port. */
export function gcsStore(client: GcsClient): GcsBlobStore {
  return {
    kind: 'gcs',
    capabilities: gcsCapabilities(client),
    staged: STAGED_NAMES,
    clock: client.rest.clock,
    lanes: () => client.rest.lanes(),
    ...bindCalls(client, CALLS),
    write: (ref, body, request, call) => write(client, { ref, body, request, call: 'write' }, call),
    setMetadata: (ref, metadata, condition, call) => setMetadata(client, { ref, metadata, condition }, call),
    stagePartFrom: (staging, source, range, call) => stagePartFrom(client, { staging, source, range }, call),
    async close() {
      await client.background.close();
      await client.rest.close();
    },
  };
}
