import { createAccountDirectory } from '../../../../src/access/directory.ts';
import { createClock } from '../../../../src/manifest/records/clock.ts';
import { createListing } from '../../../../src/manifest/listing/listing.ts';
import { createUploads } from '../../../../src/manifest/uploads/uploads.ts';
import type { RequestContext } from '../../../../src/operations/operation.ts';
import { perform } from '../../../../src/operations/perform.ts';
import { OPERATIONS } from '../../../../src/operations/index.ts';
import { operationRow } from '../../../../src/protocol/operation-table.ts';
import type { S3Request } from '../../../../src/protocol/request.ts';
import { isByteSource } from '../../../../src/protocol/response.ts';
import { encodeXml } from '../../../../src/protocol/xml/encode.ts';
import { OWNER, type TestManifest } from '../../../support/manifest/manifest.ts';
import { askedOf } from '../../../support/access/asked.ts';
import { testCall } from '../../../support/test-call.ts';

const OWNER_ACCOUNT = {
  name: 'main',
  canonicalId: OWNER,
  displayName: 'Main & Co',
  email: 'main@example.com',
  accountNumber: '123456789012',
  keys: [{ accessKeyId: 'AK', secretAccessKey: 'not-used-here' }],
  users: [],
};

export type ListOperation = 'ListObjects' | 'ListObjectsV2' | 'ListObjectVersions';

/** What an operation answers to the owner of the bucket, as text. */
export async function answerOf(
  manifest: TestManifest,
  name: ListOperation,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const operation = OPERATIONS[name];
  if (operation === undefined) throw new Error(`${name} is not built`);
  const { body } = await perform(
    operation,
    listRequest(query, headers),
    contextOf(manifest, name, listRequest(query, headers)),
  );
  if (body === undefined || isByteSource(body)) throw new Error('a document is expected');
  return encodeXml(body).toString();
}

function listRequest(query: string, headers: Readonly<Record<string, string>>): S3Request {
  const parameters = new URLSearchParams(query);
  const noBody = (): never => {
    throw new Error('listings have no body');
  };
  return {
    method: 'GET',
    address: { bucket: 'bucket', virtualHost: false },
    query: {
      has: (name) => parameters.has(name),
      get: (name) => parameters.get(name) ?? undefined,
      all: (name) => parameters.getAll(name),
      names: () => parameters.keys(),
    },
    headers: { get: (name) => headers[name], startingWith: () => [] },
    body: { declaredSize: 0, readAll: noBody, open: noBody, openForm: noBody },
    scheme: 'http',
    host: 'localhost',
    authMethod: 'header',
  };
}

function contextOf(
  { buckets, objects, settler }: TestManifest,
  name: ListOperation,
  request: S3Request,
): RequestContext {
  const accounts = createAccountDirectory([OWNER_ACCOUNT]);
  const account = accounts.byCanonicalId(OWNER);
  if (account === undefined) throw new Error('the account is missing');
  return {
    call: testCall(),
    hostId: 'HOST',
    operation: operationRow(name),
    principal: { kind: 'account', account, accessKeyId: 'AK' },
    asked: askedOf(request, name),
    accounts,
    manifest: {
      buckets,
      objects,
      listing: createListing(),
      uploads: createUploads({ clock: createClock(), settler, objects }),
    },
    settings: { region: 'us-east-1', smallRangeCopy: false, holdBytes: 0, newBuckets: 'open', cors: [] },
    mayTakeLong: () => undefined,
    logAccess: () => undefined,
    alsoOnBucket: () => undefined,
    authenticateForm: () => ({ kind: 'account', account, accessKeyId: 'AK' }),
  };
}
