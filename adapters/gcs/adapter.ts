import type {
  AssembleRequest, BlobMetadata, BlobProperties, BlobRef, BlobStore, ByteRange, Condition, ContainerEntry, ContainerRequest, CopyRequest, CopySource,
  ListPage, ListRequest, ReadRequest, ReadResult, RemoveItem, RemoveOutcome, Revision, StagedPart, StoreCapabilities, WriteRequest, WriteResult,
} from '../../src/store/blob-store.ts';
import type { ServiceClock } from '../../src/store/service-clock.ts';
import type { ClockReading, StoreSurvey, SurveyedStore } from '../../src/store/survey.ts';
import type { Call } from '../../src/observe/call.ts';
import type { UploadBody } from '../../src/streams/bytes.ts';
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
import { BUCKETS } from './paths.ts';
import { STAGED_NAMES } from './private-names.ts';

/** Google Cloud Storage behind the port: every method is one file under `calls/`. */
export class GcsBlobStore implements BlobStore, SurveyedStore {
  readonly kind = 'gcs';
  readonly capabilities: StoreCapabilities;
  readonly staged = STAGED_NAMES;
  readonly clock: ServiceClock;
  readonly #client: GcsClient;

  constructor(client: GcsClient) {
    this.capabilities = gcsCapabilities(client.limits, client.names);
    this.#client = client;
    this.clock = client.clock;
  }

  // `async` turns a name that is refused before anything is sent into a rejection.

  async createContainer(name: string, request: ContainerRequest, call: Call): Promise<ContainerEntry> {
    return containers.createContainer(this.#client, { ...request, name }, call);
  }

  async headContainer(name: string, call: Call): Promise<ContainerEntry> {
    return containers.headContainer(this.#client, name, call);
  }

  async removeContainer(name: string, call: Call): Promise<void> {
    return containers.removeContainer(this.#client, name, call);
  }

  async listContainers(token: string | undefined, call: Call): Promise<{ containers: ContainerEntry[]; nextToken?: string }> {
    return containers.listContainers(this.#client, token, call);
  }

  async head(ref: BlobRef, call: Call): Promise<BlobProperties> {
    return head(this.#client, ref, call);
  }

  async read(ref: BlobRef, request: ReadRequest, call: Call): Promise<ReadResult> {
    return read(this.#client, ref, request, call);
  }

  async write(ref: BlobRef, body: UploadBody, request: WriteRequest, call: Call): Promise<WriteResult> {
    return write(this.#client, { ref, body, request, call: 'write' }, call);
  }

  async setMetadata(ref: BlobRef, metadata: BlobMetadata, condition: Condition, call: Call): Promise<WriteResult> {
    return setMetadata(this.#client, { ref, metadata, condition }, call);
  }

  async remove(ref: BlobRef, revision: Revision | undefined, call: Call): Promise<void> {
    return remove(this.#client, ref, revision, call);
  }

  async removeMany(container: string, items: readonly RemoveItem[], call: Call): Promise<RemoveOutcome[]> {
    return removeMany(this.#client, container, items, call);
  }

  async list(container: string, request: ListRequest, call: Call): Promise<ListPage> {
    return list(this.#client, container, request, call);
  }

  async copy(target: BlobRef, request: CopyRequest, call: Call): Promise<WriteResult> {
    return copy(this.#client, target, request, call);
  }

  async stagePart(staging: BlobRef, body: UploadBody, call: Call): Promise<StagedPart> {
    return stagePart(this.#client, staging, body, call);
  }

  async stagePartFrom(staging: BlobRef, source: CopySource, range: Required<ByteRange>, call: Call): Promise<StagedPart> {
    return stagePartFrom(this.#client, { staging, source, range }, call);
  }

  async assemble(staging: BlobRef, request: AssembleRequest, call: Call): Promise<WriteResult> {
    return assemble(this.#client, staging, request, call);
  }

  async discardParts(staging: BlobRef, call: Call): Promise<void> {
    return discardParts(this.#client, staging, call);
  }

  async ping(call: Call): Promise<void> {
    return containers.ping(this.#client, call);
  }

  async readClock(call: Call): Promise<ClockReading> {
    return this.#client.readClock(BUCKETS, call);
  }

  async survey(container: string, call: Call): Promise<StoreSurvey> {
    return survey(this.#client, container, call);
  }

  async close(): Promise<void> {
    return this.#client.close();
  }
}
