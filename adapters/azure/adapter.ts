import type {
  AssembleRequest, BlobMetadata, BlobProperties, BlobRef, BlobStore, ByteRange, Condition, ContainerEntry, ContainerRequest, CopyRequest, CopySource,
  ListPage, ListRequest, ReadRequest, ReadResult, RemoveItem, RemoveOutcome, Revision, StagedPart, StoreCapabilities, WriteRequest, WriteResult,
} from '../../src/store/blob-store.ts';
import type { ServiceClock } from '../../src/store/service-clock.ts';
import type { ClockReading, StoreSurvey, SurveyedStore } from '../../src/store/survey.ts';
import type { Call } from '../../src/observe/call.ts';
import type { UploadBody } from '../../src/streams/bytes.ts';
import * as containers from './calls/containers.ts';
import { type Copier, copy } from './calls/copy.ts';
import { createOrHeal } from './calls/heal.ts';
import { list } from './calls/list.ts';
import { head, read } from './calls/read.ts';
import { removeMany } from './calls/remove-many.ts';
import * as stage from './calls/stage.ts';
import { survey } from './calls/survey.ts';
import { remove, setMetadata, write } from './calls/write.ts';
import { azureCapabilities } from './capabilities.ts';
import type { AzureClient } from './client.ts';
import type { CopySources } from './copy-source.ts';

/** Azure Blob Storage behind the port: every method is one file under `calls/`. */
export class AzureBlobStore implements BlobStore, SurveyedStore {
  readonly kind = 'azure';
  readonly capabilities: StoreCapabilities;
  readonly clock: ServiceClock;
  readonly #client: AzureClient;
  readonly #sources: CopySources;
  readonly #copier: Copier;

  constructor(client: AzureClient, sources: CopySources) {
    this.capabilities = azureCapabilities(client.limits);
    this.#client = client;
    this.clock = client.clock;
    this.#sources = sources;
    this.#copier = { client, sources, lacksPutFromUrl: false };
  }

  createContainer(name: string, request: ContainerRequest, call: Call): Promise<ContainerEntry> {
    return containers.createContainer(this.#client, { ...request, name }, call);
  }

  headContainer(name: string, call: Call): Promise<ContainerEntry> {
    return containers.headContainer(this.#client, name, call);
  }

  removeContainer(name: string, call: Call): Promise<void> {
    return containers.removeContainer(this.#client, name, call);
  }

  listContainers(token: string | undefined, call: Call): Promise<{ containers: ContainerEntry[]; nextToken?: string }> {
    return containers.listContainers(this.#client, token, call);
  }

  head(ref: BlobRef, call: Call): Promise<BlobProperties> {
    return head(this.#client, ref, call);
  }

  read(ref: BlobRef, request: ReadRequest, call: Call): Promise<ReadResult> {
    return read(this.#client, ref, request, call);
  }

  write(ref: BlobRef, body: UploadBody, request: WriteRequest, call: Call): Promise<WriteResult> {
    const send = (): Promise<WriteResult> => write(this.#client, { ref, body, request }, call);
    return request.condition?.kind === 'absent' && body instanceof Uint8Array ? createOrHeal(this.#client, ref, send, call) : send();
  }

  setMetadata(ref: BlobRef, metadata: BlobMetadata, condition: Condition, call: Call): Promise<WriteResult> {
    return setMetadata(this.#client, { ref, metadata, condition }, call);
  }

  remove(ref: BlobRef, revision: Revision | undefined, call: Call): Promise<void> {
    return remove(this.#client, ref, revision, call);
  }

  removeMany(container: string, items: readonly RemoveItem[], call: Call): Promise<RemoveOutcome[]> {
    return removeMany(this.#client, container, items, call);
  }

  list(container: string, request: ListRequest, call: Call): Promise<ListPage> {
    return list(this.#client, container, request, call);
  }

  copy(target: BlobRef, request: CopyRequest, call: Call): Promise<WriteResult> {
    return copy(this.#copier, { ...request, target }, call);
  }

  stagePart(staging: BlobRef, body: UploadBody, call: Call): Promise<StagedPart> {
    return stage.stagePart(this.#client, staging, body, call);
  }

  stagePartFrom(staging: BlobRef, source: CopySource, range: Required<ByteRange>, call: Call): Promise<StagedPart> {
    return stage.stagePartFrom(this.#client, this.#sources, { staging, source, range }, call);
  }

  assemble(staging: BlobRef, request: AssembleRequest, call: Call): Promise<WriteResult> {
    return stage.putBlockList(this.#client, { ...request, target: staging, call: 'assemble' }, call);
  }

  discardParts(staging: BlobRef, call: Call): Promise<void> {
    return stage.discardParts(this.#client, staging, call);
  }

  ping(call: Call): Promise<void> {
    return containers.ping(this.#client, call);
  }

  readClock(call: Call): Promise<ClockReading> {
    return this.#client.readClock(call);
  }

  survey(container: string, call: Call): Promise<StoreSurvey> {
    return survey(this.#client, container, call);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
