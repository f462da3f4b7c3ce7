import { type AzureClient, type AzureRequest, blobPath, containerPath } from '../../../adapters/azure/index.ts';
import type { Call } from '../../observe/call.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import { type ServiceAnswer, TRIAL_BYTES, answerOf, done } from './trial.ts';

type More = Partial<Pick<AzureRequest, 'query' | 'ms' | 'body' | 'contentMd5' | 'version' | 'ifMatch' | 'ifNoneMatch'>>;

interface AzurePlace {
  readonly client: AzureClient;
  readonly store: BlobStore;
  /** A container of our own. */
  readonly container: string;
  /** Another one, which is made and removed. */
  readonly passing: string;
  /** Whether the credential is one of Microsoft Entra ID. */
  readonly byToken: boolean;
  readonly call: Call;
}

/** A container of an Azure account in which trials ask the service for its own answers. */
export class AzureGround {
  readonly at: AzurePlace;

  constructor(place: AzurePlace) {
    this.at = place;
  }

  ask(method: AzureRequest['method'], name: string, more: More = {}): Promise<ServiceAnswer> {
    const { client, container } = this.at;
    return this.askPath(method, blobPath(client.endpoint, { container, name }), more);
  }

  askContainer(method: AzureRequest['method'], container: string, query: [string, string][]): Promise<ServiceAnswer> {
    return this.askPath(method, containerPath(this.at.client.endpoint, container), { query });
  }

  askPath(method: AzureRequest['method'], path: string, more: More): Promise<ServiceAnswer> {
    const effect = method === 'GET' || method === 'HEAD' ? 'read' : 'change';
    return answerOf(this.at.client.rest.send({ call: 'prove', method, path, effect, ...more }, this.at.call));
  }

  put(name: string, body: Uint8Array = TRIAL_BYTES, { ms = [], ...more }: More = {}): Promise<ServiceAnswer> {
    return this.ask('PUT', name, { ...more, ms: ['x-ms-blob-type', 'BlockBlob', ...ms], body });
  }

  /** A blob to begin with, and its revision. @throws NotTried */
  async given(name: string, body: Uint8Array = TRIAL_BYTES): Promise<string> {
    return String(done(await this.put(name, body), 'Put Blob').headers['etag']);
  }

  /** @param version of the REST API; absent: as all other calls */
  putBlock(name: string, contentMd5?: string, version?: string): Promise<ServiceAnswer> {
    return this.ask('PUT', name, {
      query: [
        ['blockid', BLOCK_ID],
        ['comp', 'block'],
      ],
      body: TRIAL_BYTES,
      contentMd5,
      version,
    });
  }

  putBlockList(name: string, block: string, more: More = {}): Promise<ServiceAnswer> {
    const body = Buffer.from(`<?xml version="1.0" encoding="utf-8"?><BlockList><Latest>${block}</Latest></BlockList>`);
    return this.ask('PUT', name, { query: [['comp', 'blocklist']], body, ...more });
  }

  /** Copy Blob From URL. */
  async copy(source: string, target: string, ms: readonly string[] = [], more: More = {}): Promise<ServiceAnswer> {
    const { client, container, call } = this.at;
    const url = await client.sources.url({ container, name: source }, call);
    const headers = ['x-ms-copy-source', url, 'x-ms-requires-sync', 'true', ...ms];
    return this.ask('PUT', target, { ms: headers, ...more });
  }

  async list(...query: [string, string][]): Promise<string> {
    const all: [string, string][] = [['comp', 'list'], ...query, ['restype', 'container']];
    all.sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    return done(await this.askContainer('GET', this.at.container, all), 'List Blobs').body.toString('utf8');
  }
}

export const BLOCK_ID = Buffer.from('block-1').toString('base64');

/** Names of blobs in a page of a listing, in its order. */
export function namesIn(page: string): string[] {
  return [...page.matchAll(/<Name>([^<]*)<\/Name>/g)].map(([, name = '']) => name);
}
