import type { ContainerEntry, ContainerRequest } from '../../../src/store/blob-store.ts';
import type { Call } from '../../../src/observe/call.ts';
import { StoreError, isStoreError } from '../../../src/store/store-error.ts';
import type { ClockReading } from '../../../src/store/survey.ts';
import type { AzureClient } from '../client.ts';
import { containerPath } from '../endpoint.ts';
import { OWNER_METADATA, lastModifiedOf, metadataHeaders, ownerOf } from '../headers.ts';
import { parseContainerPage } from '../list-xml.ts';
import type { AzureRequest } from '../request.ts';

/** Create Container, with its metadata in the same step. */
export async function createContainer(
  client: AzureClient,
  name: string,
  { owner }: ContainerRequest,
  call: Call,
): Promise<ContainerEntry> {
  const ms = owner === undefined ? [] : metadataHeaders({ [OWNER_METADATA]: owner });
  const headers = await client.rest.sendForHeaders(
    containerRequest(client, name, { call: 'createContainer', method: 'PUT', effect: 'change', ms }),
    call,
  );
  return { name, lastModified: lastModifiedOf(headers), ...(owner !== undefined && { owner }) };
}

/** Get Container Properties. */
export async function headContainer(client: AzureClient, name: string, call: Call): Promise<ContainerEntry> {
  const headers = await missing(
    client.rest.sendForHeaders(
      containerRequest(client, name, { call: 'headContainer', method: 'HEAD', effect: 'read' }),
      call,
    ),
  );
  return { name, lastModified: lastModifiedOf(headers), ...ownerOf(headers) };
}

/** Delete Container. */
export async function removeContainer(client: AzureClient, name: string, call: Call): Promise<void> {
  await missing(
    client.rest.sendForHeaders(
      containerRequest(client, name, { call: 'removeContainer', method: 'DELETE', effect: 'change' }),
      call,
    ),
  );
}

/** List Containers. */
export async function listContainers(
  client: AzureClient,
  token: string | undefined,
  call: Call,
): Promise<{ containers: ContainerEntry[]; nextToken?: string }> {
  const marker: [string, string][] = [
    ['include', 'metadata'],
    ...(token === undefined ? [] : [['marker', token] satisfies [string, string]]),
  ];
  return parseContainerPage(await client.rest.sendForText(accountList(client, 'listContainers', marker), call));
}

/** The cheapest call that needs the credential: one entry of the list of containers. */
export async function ping(client: AzureClient, call: Call): Promise<void> {
  await client.rest.sendForText(accountList(client, 'ping', [['maxresults', '1']]), call);
}

/** Asked without a credential, so that a clock that is wrong cannot keep it from being told. */
export function readClock(client: AzureClient, call: Call): Promise<ClockReading> {
  return client.rest.readClock(`${client.endpoint.basePath}/?comp=list`, call);
}

function accountList(client: AzureClient, call: string, more: [string, string][]): AzureRequest {
  return {
    call,
    method: 'GET',
    path: `${client.endpoint.basePath}/`,
    query: [['comp', 'list'], ...more],
    effect: 'read',
  };
}

function containerRequest(
  client: AzureClient,
  name: string,
  request: Pick<AzureRequest, 'call' | 'method' | 'effect' | 'ms'>,
): AzureRequest {
  return { ...request, path: containerPath(client.endpoint, name), query: [['restype', 'container']] };
}

/** HEAD answers may come without a code; what is missing can only be the container. */
async function missing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (isStoreError(error, 'notFound')) throw new StoreError('containerNotFound', { ...error.detail, cause: error });
    throw error;
  }
}
