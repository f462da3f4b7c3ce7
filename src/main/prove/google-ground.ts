import {
  type GcsClient,
  type GcsRequest,
  bucketPath,
  objectPath,
  uploadPath,
  xmlPath,
} from '../../../adapters/gcs/index.ts';
import type { Call } from '../../observe/call.ts';
import type { BlobStore } from '../../store/blob-store.ts';
import { type ServiceAnswer, TRIAL_BYTES, answerOf, done } from './trial.ts';

interface GooglePlace {
  readonly client: GcsClient;
  readonly store: BlobStore;
  /** A container of our own. */
  readonly container: string;
  readonly call: Call;
}

interface Upload {
  /** What the resource says besides the name. */
  readonly resource?: object;
  readonly query?: GcsRequest['query'];
  readonly headers?: readonly string[];
}

type More = Partial<Pick<GcsRequest, 'query' | 'headers' | 'body'>>;

/** What trials read of a resource. */
interface Resource {
  readonly generation?: string;
  readonly md5Hash?: string;
}

/** A bucket of Cloud Storage in which trials ask the service for its own answers. */
export class GoogleGround {
  readonly at: GooglePlace;

  constructor(place: GooglePlace) {
    this.at = place;
  }

  ask(method: GcsRequest['method'], path: string, more: More = {}): Promise<ServiceAnswer> {
    const effect = method === 'GET' ? 'read' : 'change';
    const request = { call: 'prove', method, path, effect, missing: 'object', ...more } as const;
    return answerOf(this.at.client.rest.send(request, this.at.call));
  }

  /** Of the JSON API. */
  object(name: string): string {
    return objectPath(this.at.client, { container: this.at.container, name });
  }

  bucket(): string {
    return bucketPath(this.at.client, this.at.container);
  }

  /** A read of the XML API, which is what the adapter reads with. */
  read(name: string, ...headers: string[]): Promise<ServiceAnswer> {
    return this.ask('GET', xmlPath(this.at.client, { container: this.at.container, name }), { headers });
  }

  /** `uploadType=multipart`: resource and bytes in one request. */
  put(name: string, body: Uint8Array = TRIAL_BYTES, { resource, query = [], headers = [] }: Upload = {}) {
    const opening = `--${BOUNDARY}\r\ncontent-type: application/json\r\n\r\n${JSON.stringify({ name, ...resource })}\r\n`;
    const head = Buffer.from(`${opening}--${BOUNDARY}\r\ncontent-type: application/octet-stream\r\n\r\n`);
    return this.ask('POST', uploadPath(this.at.client, this.at.container), {
      query: [['uploadType', 'multipart'], ...query],
      headers: ['content-type', `multipart/related; boundary=${BOUNDARY}`, ...headers],
      body: Buffer.concat([head, body, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
    });
  }

  /** An object to begin with, and its generation. @throws NotTried */
  async given(name: string, body: Uint8Array = TRIAL_BYTES, upload: Upload = {}): Promise<string> {
    return resourceOf(done(await this.put(name, body, upload), 'an upload')).generation ?? '';
  }

  compose(target: string, sources: readonly string[]): Promise<ServiceAnswer> {
    const body = Buffer.from(JSON.stringify({ sourceObjects: sources.map((name) => ({ name })) }));
    return this.ask('POST', `${this.object(target)}/compose`, { headers: JSON_TYPE, body });
  }
}

export const JSON_TYPE = ['content-type', 'application/json'] as const;
/** No body here holds it. */
const BOUNDARY = 'boundary-of-s3-cloud-gateway-prove';

export function resourceOf({ body }: ServiceAnswer): Resource {
  return JSON.parse(body.toString('utf8')) as Resource;
}

/** Names of objects in a page of a listing, in its order. */
export function namesOf({ body }: ServiceAnswer): string[] {
  const { items = [] } = JSON.parse(body.toString('utf8')) as { items?: { name: string }[] };
  return items.map(({ name }) => name);
}
