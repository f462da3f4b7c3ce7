import type { SessionRequest } from '../../guard/contract.ts';
import type { ApiError } from '../../inspector/contract.ts';

/** An answer of the admin server that is no success. */
export class ApiFailure extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
  }
}

/** The page may be served below a path prefix: addresses of the API are taken relative to it. */
export function apiUrl(path: string, parameters?: URLSearchParams): string {
  const url = new URL(path.replace(/^\//, ''), document.baseURI);
  if (parameters !== undefined) url.search = parameters.toString();
  return url.toString();
}

/** @throws ApiFailure, or what `fetch` throws when there is no answer */
export async function getJson<T>(path: string, signal: AbortSignal, parameters?: URLSearchParams): Promise<T> {
  const response = await fetch(apiUrl(path, parameters), { signal, headers: { accept: 'application/json' } });
  if (!response.ok) throw new ApiFailure(response.status, await reasonOf(response));
  return (await response.json()) as T;
}

async function reasonOf(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as Partial<ApiError>;
    return error ?? `status ${response.status}`;
  } catch {
    return `status ${response.status}`;
  }
}

/** Exchanges a token for the cookie of this page. @throws ApiFailure when it is refused */
export async function logIn(token: string): Promise<void> {
  const response = await fetch(apiUrl('/session'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token } satisfies SessionRequest),
  });
  if (!response.ok) {
    throw new ApiFailure(
      response.status,
      response.status === 401 ? 'This token is not accepted.' : await reasonOf(response),
    );
  }
}

/** Has the browser forget the cookie. @throws ApiFailure when it does not; what `fetch` throws without an answer */
export async function logOut(): Promise<void> {
  const response = await fetch(apiUrl('/session'), { method: 'DELETE' });
  if (!response.ok) throw new ApiFailure(response.status, await reasonOf(response));
}
