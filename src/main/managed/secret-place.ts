import { askKubernetes, type KubernetesApi } from '../../admin/guard/kubernetes-api.ts';
import { type DocumentPlace, PlaceError, type PlacedText } from './document-place.ts';

interface SecretName {
  readonly namespace: string;
  readonly name: string;
  /** Of its data. */
  readonly key: string;
}

/** A Secret holds 1 MiB, in base64 of JSON beside what the API server says of it. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** A few hundred bytes instead of the Secret. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

interface AnsweredSecret {
  readonly metadata?: { readonly resourceVersion?: unknown };
  readonly data?: Readonly<Record<string, unknown>> | null;
}

/**
 * A Kubernetes Secret, through the API server: a mounted one would take a minute to follow. The resource version is
 * what is compared, by the API server. The service account needs the verbs get and patch on this one Secret.
 */
export class SecretPlace implements DocumentPlace {
  readonly label: string;
  readonly #api: KubernetesApi;
  readonly #path: string;
  readonly #key: string;

  constructor(api: KubernetesApi, { namespace, name, key }: SecretName) {
    this.#api = api;
    this.#key = key;
    this.#path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
    this.label = `Secret ${namespace}/${name}`;
  }

  async version(signal: AbortSignal): Promise<string> {
    return this.#versionOf(await this.#get(METADATA_ONLY, signal));
  }

  async read(signal: AbortSignal): Promise<PlacedText> {
    const secret = await this.#get('application/json', signal);
    const encoded = secret.data?.[this.#key];
    const text = typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString('utf8') : '';
    return { text, version: this.#versionOf(secret) };
  }

  async replace(text: string, from: string, signal: AbortSignal): Promise<string | undefined> {
    const body = JSON.stringify({
      metadata: { resourceVersion: from },
      data: { [this.#key]: Buffer.from(text, 'utf8').toString('base64') },
    });
    const contentType = 'application/merge-patch+json';
    let answer: { readonly status: number; readonly body: string };
    try {
      const request = { method: 'PATCH', path: this.#path, body, contentType, accept: METADATA_ONLY } as const;
      answer = await askKubernetes(this.#api, request, signal);
    } catch (error) {
      throw new PlaceError(`${this.label}: the API server does not answer`, { lost: true, cause: error });
    }
    const { status, body: answered } = answer;
    if (status === 200) return this.#versionOf(this.#parsed(answered, true), true);
    if (status === 409) return undefined;
    // Of other refusals nothing was written; a server that fails may have written.
    throw new PlaceError(`${this.label}: the API server answers ${String(status)} to a change`, {
      lost: status >= 500,
    });
  }

  async #get(accept: string, signal: AbortSignal): Promise<AnsweredSecret> {
    let answer: { readonly status: number; readonly body: string };
    try {
      const request = { method: 'GET', path: this.#path, accept, maxBytes: MAX_ANSWER_BYTES } as const;
      answer = await askKubernetes(this.#api, request, signal);
    } catch (error) {
      throw new PlaceError(`${this.label}: the API server does not answer`, { cause: error });
    }
    if (answer.status !== 200) {
      throw new PlaceError(`${this.label}: the API server answers ${String(answer.status)}`);
    }
    return this.#parsed(answer.body);
  }

  /** Without the parser's own error, which quotes the answer: secrets stand in there. */
  #parsed(body: string, lost = false): AnsweredSecret {
    try {
      return JSON.parse(body) as AnsweredSecret;
    } catch {
      throw new PlaceError(`${this.label}: the API server answers no JSON`, { lost });
    }
  }

  #versionOf({ metadata }: AnsweredSecret, lost = false): string {
    const version = metadata?.resourceVersion;
    if (typeof version !== 'string' || version === '') {
      throw new PlaceError(`${this.label}: the API server answers no resource version`, { lost });
    }
    return version;
  }
}
