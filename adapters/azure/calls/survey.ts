import { randomUUID } from 'node:crypto';
import type { Call } from '../../../src/observe/call.ts';
import { type Tier, TIERS } from '../../../src/store/blob-store.ts';
import { isStoreError } from '../../../src/store/store-error.ts';
import type { StoreSurvey } from '../../../src/store/survey.ts';
import { headerText, type WireHeaders } from '../../shared/wire/transport.ts';
import type { AzureClient } from '../client.ts';
import { blobPath } from '../endpoint.ts';
import type { AzureRequest } from '../request.ts';

/**
 * Finds out as much about the account as a credential for data can see. Region and lifecycle rules are known to the
 * resource manager only. It writes and removes one blob, because only the answer to a write tells whether the service
 * keeps versions.
 */
export async function survey(client: AzureClient, container: string, call: Call): Promise<StoreSurvey> {
  const [account, softDeleteDays, versioning] = await Promise.all([
    ifAllowed(accountInformation(client, call)),
    ifAllowed(softDelete(client, call)),
    ifAllowed(keepsVersions(client, container, call)),
  ]);
  return {
    ...account,
    ...(softDeleteDays !== undefined && { softDeleteDays }),
    ...(versioning !== undefined && { versioning }),
  };
}

/** https://learn.microsoft.com/rest/api/storageservices/get-account-information */
async function accountInformation(client: AzureClient, call: Call): Promise<StoreSurvey> {
  const headers = await client.rest.sendForHeaders(accountRequest(client, 'account'), call);
  const redundancy = headerText(headers, 'x-ms-sku-name');
  const hierarchical = headerText(headers, 'x-ms-is-hns-enabled');
  return {
    ...(redundancy !== undefined && { redundancy, tiers: tiersOf(redundancy) }),
    ...(hierarchical !== undefined && { hierarchicalNamespace: hierarchical === 'true' }),
  };
}

/**
 * https://learn.microsoft.com/azure/storage/blobs/access-tiers-overview: premium accounts have no tiers, and accounts
 * that replicate between zones no Archive.
 */
function tiersOf(sku: string): readonly Tier[] {
  if (sku.startsWith('Premium')) return ['hot'];
  return sku.endsWith('ZRS') ? TIERS.filter((tier) => tier !== 'archive') : TIERS;
}

/** https://learn.microsoft.com/rest/api/storageservices/get-blob-service-properties */
async function softDelete(client: AzureClient, call: Call): Promise<number> {
  const document = await client.rest.sendForText(accountRequest(client, 'service'), call);
  const policy = /<DeleteRetentionPolicy>(.*?)<\/DeleteRetentionPolicy>/s.exec(document)?.[1] ?? '';
  return policy.includes('<Enabled>true</Enabled>') ? Number(/<Days>(\d+)<\/Days>/.exec(policy)?.[1] ?? 1) : 0;
}

/**
 * https://learn.microsoft.com/azure/storage/blobs/versioning-overview: an account that keeps versions names one in its
 * answer to a write.
 */
async function keepsVersions(client: AzureClient, container: string, call: Call): Promise<boolean> {
  const path = blobPath(client.endpoint, { container, name: `preflight/${randomUUID()}` });
  const headers: WireHeaders = await client.rest.sendForHeaders(
    {
      call: 'survey',
      method: 'PUT',
      path,
      ms: ['x-ms-blob-type', 'BlockBlob'],
      body: Buffer.from('.'),
      effect: 'change',
    },
    call,
  );
  await client.rest.sendForHeaders({ call: 'survey', method: 'DELETE', path, effect: 'change' }, call);
  return headerText(headers, 'x-ms-version-id') !== undefined;
}

function accountRequest(client: AzureClient, restype: string): AzureRequest {
  return {
    call: 'survey',
    method: 'GET',
    path: `${client.endpoint.basePath}/`,
    query: [
      ['comp', 'properties'],
      ['restype', restype],
    ],
    effect: 'read',
  };
}

async function ifAllowed<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isStoreError(error, 'denied', 'notFound', 'containerNotFound')) return undefined;
    throw error;
  }
}
