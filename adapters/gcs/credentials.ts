import type { GoogleAuth, GoogleAuthOptions } from 'google-auth-library';
import { StoreError } from '../../src/store/store-error.ts';
import { TokenSource } from '../shared/token-source.ts';
import type { BearerToken } from '../shared/token-source.ts';
import type { GcsCredential } from './options.ts';

/** The gateway's identity, and the project of its buckets. */
export interface Credentials {
  /** Value of `Authorization`; undefined when requests are anonymous. */
  authorization(): string | Promise<string> | undefined;
  /** Project of new buckets. @throws StoreError denied when no one can tell */
  projectId(): Promise<string>;
  /** A token is sent, so the connection must be encrypted. */
  readonly isSecret: boolean;
}

interface CredentialOptions {
  readonly credential: GcsCredential;
  readonly projectId?: string | undefined;
  /** URL of an outbound proxy, for the token service. */
  readonly proxy?: string | undefined;
  /** What the tokens are for; default: the storage. */
  readonly scope?: string;
}

/** https://cloud.google.com/storage/docs/oauth-scopes: objects and buckets; what may be done with them IAM says. */
const SCOPE = 'https://www.googleapis.com/auth/devstorage.full_control';
/**
 * Google's library renews a token that we ask for when less than this is left: more than when we ask, so that it does.
 */
const EAGER_RENEWAL = 10 * 60_000;
/** Tokens of a source that does not say how long they are good for. */
const UNKNOWN_LIFE = 10 * 60_000;
/** Emulators do not care which. */
const NO_PROJECT = 'local';

/** @throws Error when a key is no JSON */
export function createCredentials({ credential, projectId, proxy, scope = SCOPE }: CredentialOptions): Credentials {
  if (credential.kind === 'anonymous') {
    return { isSecret: false, authorization: () => undefined, projectId: async () => projectId ?? NO_PROJECT };
  }
  if (credential.kind === 'token') return fromTokens(credential.getToken, async () => known(projectId));
  const key = keyOf(credential);
  const library = googleAuth(key, { proxy, scope });
  const own = projectId ?? key?.project_id;
  return fromTokens(
    async () => tokenOf(await library()),
    async () => own ?? known(await (await library()).getProjectId()),
  );
}

function fromTokens(ask: () => Promise<BearerToken>, project: () => Promise<string>): Credentials {
  const source = new TokenSource(ask);
  return {
    isSecret: true,
    authorization() {
      const token = source.current();
      return typeof token === 'string' ? `Bearer ${token}` : token.then((next) => `Bearer ${next}`, refuseToken);
    },
    projectId: async () => {
      try {
        return await project();
      } catch (cause) {
        throw new StoreError('denied', { call: 'projectId', code: 'NoProject', cause });
      }
    },
  };
}

function known(projectId: string | undefined): string {
  if (projectId === undefined || projectId === '') {
    throw new Error('projectId must be set: the credential names no project');
  }
  return projectId;
}

/** A key or configuration of Google's, as far as it is looked at here. */
interface KeyDocument {
  /** In keys of service accounts. */
  readonly project_id?: string;
}

function keyOf(
  credential: Extract<GcsCredential, { kind: 'serviceAccountKey' | 'workloadIdentity' | 'default' }>,
): KeyDocument | undefined {
  if (credential.kind === 'default') return undefined;
  const text = credential.kind === 'serviceAccountKey' ? credential.key : credential.configuration;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not as a cause: the parser's message would quote the key.
    throw new Error(`${credential.kind}: not JSON`);
  }
  const type = typeof parsed === 'object' && parsed !== null && 'type' in parsed ? parsed.type : undefined;
  if (typeof parsed !== 'object' || parsed === null || typeof type !== 'string') {
    throw new Error(`${credential.kind}: has no "type"`);
  }
  if (credential.kind === 'serviceAccountKey' && type !== 'service_account') {
    throw new Error('serviceAccountKey: "type" is not service_account');
  }
  return parsed;
}

/** Google's library is loaded with the first token, so that stores without credentials start without it. */
function googleAuth(
  credentials: object | undefined,
  { proxy, scope }: { readonly proxy: string | undefined; readonly scope: string },
): () => Promise<GoogleAuth> {
  let created: Promise<GoogleAuth> | undefined;
  const create = async (): Promise<GoogleAuth> => {
    const library = await import('google-auth-library');
    const clientOptions = {
      eagerRefreshThresholdMillis: EAGER_RENEWAL,
      ...(proxy !== undefined && { transporterOptions: { proxy } }),
    };
    const options: GoogleAuthOptions = {
      scopes: scope,
      clientOptions,
      // The key was looked at above, and comes from the operator's own file.
      // oxlint-disable-next-line typescript/no-deprecated -- its heir takes each kind of credential apart
      ...(credentials !== undefined && { credentials }),
    };
    return new library.GoogleAuth(options);
  };
  return () => (created ??= create());
}

async function tokenOf(auth: GoogleAuth): Promise<BearerToken> {
  const client = await auth.getClient();
  const { token } = await client.getAccessToken();
  if (token == null) throw new Error('the credential gave no token');
  return { token, expiresOnTimestamp: client.credentials.expiry_date ?? Date.now() + UNKNOWN_LIFE };
}

/** Makes `denied` of a refusal by the token service; any other failure may go better next time. */
function refuseToken(cause: unknown): never {
  const status = cause instanceof Error && 'status' in cause ? Number(cause.status) : undefined;
  const refused =
    (status !== undefined && status >= 400 && status < 500 && status !== 429) ||
    /could not load the default credentials/i.test(String(cause));
  throw new StoreError(refused ? 'denied' : 'unavailable', { call: 'credential', cause });
}
