import type * as StorageSdk from '@azure/storage-blob';
import type { UserDelegationKey } from '@azure/storage-blob';
import type { BlobRef } from '../../src/store/blob-store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { withSignal } from '../../src/observe/call.ts';
import type { Call } from '../../src/observe/call.ts';
import type { RestClient } from '../shared/rest-client.ts';
import { unlessAborted } from '../shared/unless-aborted.ts';
import type { Access } from './credentials.ts';
import { blobPath } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { parseFields } from './xml-values.ts';
import { API_VERSION } from './request.ts';
import type { AzureRequest } from './request.ts';
import { keepNewest } from '../../src/observe/bounded-map.ts';

/** URLs by which the service itself may read a blob of this account. They carry a signature: never log one. */
export interface CopySources {
  url(ref: BlobRef, call: Call): Promise<string>;
  /** For Copy Blob, which reads within the account by the right of the call itself. */
  own(ref: BlobRef): string;
}

/** Milliseconds, like the following. A copy is admitted when it begins; it may then take longer than this. */
const SAS_LIFETIME = 60 * 60_000;

/**
 * One signature serves all copies of a container for this long: making it costs more than everything else that a small
 * copy does.
 */
const SAS_REUSE = 10 * 60_000;

/** Containers whose signature is remembered. */
const MOST_REMEMBERED = 1024;

/** Allowance for clocks that differ. */
const CLOCK_LEEWAY = 5 * 60_000;

/** The service allows seven days. */
const KEY_LIFETIME = 24 * 60 * 60_000;

const KEY_WITHIN = 120_000;

/** What is needed to ask for a key. */
interface KeyClient {
  readonly rest: RestClient<AzureRequest>;
  readonly endpoint: Endpoint;
}

export function createCopySources(client: KeyClient, access: Access): CopySources {
  const { origin } = client.endpoint;
  switch (access.kind) {
    case 'sas':
      return sasSources((ref) => `${origin}${blobPath(client.endpoint, ref)}?${access.query}`);
    case 'key':
      return signedSources(client, (container) => keySas(access, container));
    case 'token': {
      const keys = new DelegationKeys(client);
      return signedSources(client, (container, call) => keys.sas(container, call));
    }
  }
}

function sasSources(own: (ref: BlobRef) => string): CopySources {
  return { own, url: async (ref) => own(ref) };
}

interface Signature {
  readonly query: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

type Sign = (container: string, call: Call) => Promise<Signature>;

function signedSources({ endpoint }: KeyClient, sign: Sign): CopySources {
  const known = new Map<string, Signature>();
  const queryFor = async (container: string, call: Call): Promise<string> => {
    const found = known.get(container);
    const left = found === undefined ? 0 : found.expires - Date.now();
    // More than it ever had is left: the clock was put back.
    if (found !== undefined && left > SAS_LIFETIME - SAS_REUSE && left <= SAS_LIFETIME) return found.query;
    const made = await sign(container, call);
    keepNewest(known, container, made, MOST_REMEMBERED);
    return made.query;
  };
  return {
    async url(ref, call) {
      const path = blobPath(endpoint, ref);
      return `${endpoint.origin}${path}?${await queryFor(ref.container, call)}`;
    },
    own: (ref) => `${endpoint.origin}${blobPath(endpoint, ref)}`,
  };
}

/** The SDK is loaded with the first copy: it takes long to load, and its signing is all that is used of it. */
function sdk(): Promise<typeof StorageSdk> {
  return import('@azure/storage-blob');
}

type SignedValues = StorageSdk.BlobSASSignatureValues & { readonly expiresOn: Date };

/** The permissions of a signature: to read blobs of this container, for a while. */
async function readOnly(containerName: string): Promise<SignedValues> {
  const { ContainerSASPermissions } = await sdk();
  return {
    containerName,
    permissions: ContainerSASPermissions.parse('r'),
    expiresOn: new Date(Date.now() + SAS_LIFETIME),
    version: API_VERSION,
  };
}

function signature(values: SignedValues, query: StorageSdk.SASQueryParameters): Signature {
  return { query: query.toString(), expires: values.expiresOn.getTime() };
}

async function keySas(access: Extract<Access, { kind: 'key' }>, container: string): Promise<Signature> {
  const { StorageSharedKeyCredential, generateBlobSASQueryParameters } = await sdk();
  const credential = new StorageSharedKeyCredential(access.account, access.base64);
  const values = await readOnly(container);
  return signature(values, generateBlobSASQueryParameters(values, credential));
}

/**
 * Makes signatures with a user delegation key, which the service gives to the owner of a token. One key serves a day of
 * copies.
 */
class DelegationKeys {
  readonly #client: KeyClient;
  #key: UserDelegationKey | undefined;
  #pending: Promise<UserDelegationKey> | undefined;

  constructor(client: KeyClient) {
    this.#client = client;
  }

  async sas(container: string, call: Call): Promise<Signature> {
    const key = await this.#current(call);
    const { generateBlobSASQueryParameters } = await sdk();
    const values = await readOnly(container);
    return signature(values, generateBlobSASQueryParameters(values, key, this.#client.endpoint.account));
  }

  #current(call: Call): Promise<UserDelegationKey> {
    const key = this.#key;
    if (key !== undefined && key.signedExpiresOn.getTime() - Date.now() > 2 * SAS_LIFETIME) return Promise.resolve(key);
    // Shared by all who wait: the one who asked first may hang up, and only that one.
    this.#pending ??= this.#fetch(withSignal(call, AbortSignal.timeout(KEY_WITHIN))).finally(() => {
      this.#pending = undefined;
    });
    return unlessAborted(this.#pending, call.signal);
  }

  async #fetch(call: Call): Promise<UserDelegationKey> {
    const now = Date.now();
    const body = `<?xml version="1.0" encoding="utf-8"?><KeyInfo><Start>${iso(now - CLOCK_LEEWAY)}</Start><Expiry>${iso(now + KEY_LIFETIME)}</Expiry></KeyInfo>`;
    const xml = await this.#client.rest.sendForText(
      {
        call: 'userDelegationKey',
        method: 'POST',
        path: `${this.#client.endpoint.basePath}/`,
        query: [
          ['comp', 'userdelegationkey'],
          ['restype', 'service'],
        ],
        contentType: 'application/xml',
        body: Buffer.from(body),
        effect: 'read',
      },
      call,
    );
    this.#key = delegationKey(parseFields(xml));
    return this.#key;
  }
}

function delegationKey(fields: Readonly<Record<string, string>>): UserDelegationKey {
  const field = (name: string): string => {
    const value = fields[name];
    if (value === undefined) {
      throw new StoreError('unexpected', { call: 'userDelegationKey', cause: new Error(`no ${name}`) });
    }
    return value;
  };
  return {
    signedObjectId: field('SignedOid'),
    signedTenantId: field('SignedTid'),
    signedStartsOn: new Date(field('SignedStart')),
    signedExpiresOn: new Date(field('SignedExpiry')),
    signedService: field('SignedService'),
    signedVersion: field('SignedVersion'),
    value: field('Value'),
  };
}

/** ISO 8601 to the second, the form in which the service signs times. */
function iso(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
