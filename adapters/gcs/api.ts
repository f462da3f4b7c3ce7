import type { StoreError } from '../../src/store/store-error.ts';
import type { RestApi } from '../shared/rest-client.ts';
import { errorText } from '../shared/wire/answers.ts';
import {
  headerNumber,
  headerText,
  isStream,
  joinTarget,
  type WireHeaders,
  type WireResponse,
} from '../shared/wire/transport.ts';
import type { Credentials } from './credentials.ts';
import { readErrorDocument, refusalError } from './errors.ts';
import type { HotNames } from './hot-names.ts';
import type { GcsRequest } from './request.ts';

const REQUEST_ID = 'x-guploader-uploadid';

/**
 * Describes Cloud Storage's two REST APIs to the REST client: their authorisation, turns for hot names, which calls may
 * be repeated, how they refuse.
 */
export function gcsApi(credentials: Credentials, hotNames: HotNames): RestApi<GcsRequest> {
  return {
    system: 'gcs',
    requestIdHeader: REQUEST_ID,
    target: ({ path, query }) => joinTarget(path, query),
    headers: ({ headers }) => [...(headers ?? [])],
    authorization: () => credentials.authorization(),
    mayRepeat,
    refusal,
    inTurn({ changes, body }, call, work) {
      return changes === undefined ? work() : hotNames.run(changes, !isStream(body), call, work);
    },
  };
}

/**
 * The caller decides about a change that may have been applied, and a stream can be sent only once. Changes that are
 * throttled wait for their turn elsewhere (`hot-names.ts`).
 */
function mayRepeat({ effect, body }: GcsRequest, error: StoreError): boolean {
  if (effect === 'read') return error.kind === 'unavailable' || error.kind === 'throttled';
  return error.kind === 'unavailable' && !error.lost && !isStream(body);
}

async function refusal(request: GcsRequest, response: WireResponse, within: number): Promise<StoreError> {
  const { status, headers } = response;
  return refusalError(request, {
    status,
    ...readErrorDocument((await errorText(response, within)) ?? ''),
    requestId: textHeader(headers, REQUEST_ID),
    retryAfter: headerNumber(headers, 'retry-after'),
  });
}

/** A header's value; undefined when it is absent or empty. Bytes beyond ASCII are UTF-8. */
export function textHeader(headers: WireHeaders, name: string): string | undefined {
  const value = headerText(headers, name);
  return value !== undefined && /[\x80-\xff]/.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}
