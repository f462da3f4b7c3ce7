import { S3Error } from '../../../errors/s3-error.ts';
import type { BucketSettings } from '../../../manifest/index.ts';
import { type Inventory, MAX_INVENTORIES, MAX_INVENTORIES_LENGTH } from '../../../protocol/inventory/inventory.ts';
import {
  inventoryDocument,
  inventoryList,
  requestedInventory,
} from '../../../protocol/inventory/inventory-document.ts';
import { SMALL_DOCUMENT } from '../../../protocol/xml/decode.ts';
import type { Operation, OperationContext } from '../../operation.ts';
import { requireDeferred } from '../../permission.ts';
import { requiredId, wrongToken } from './configuration-lists.ts';
import { without } from './setting.ts';

/*
 * The inventories of a bucket. `src/inventory` writes the reports, in a process beside the gateway
 * (docs/inventory.md).
 */

const PAGE = 100;
const TOO_LONG = { message: 'The inventory configurations of a bucket can have 512 KiB in all.' };
/** The condition key, in lower case, that asks for the optional fields of the document. */
const FIELDS_KEY = 's3:inventoryaccessibleoptionalfields';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketInventoryConfiguration.html */
export const putBucketInventoryConfiguration: Operation = async (request, context) => {
  const { bucket, manifest, call } = context;
  const id = requiredId(request);
  const inventory = requestedInventory(await request.body.readAll(SMALL_DOCUMENT.bytes), id, bucket.name);
  requireDeferred({ bucket, says: { get: (key) => (key === FIELDS_KEY ? inventory.fields : undefined) } }, context);
  const change = (settings: BucketSettings): BucketSettings => {
    const others = (settings.inventories ?? []).filter((one) => one.id !== id);
    if (others.length >= MAX_INVENTORIES) throw new S3Error('TooManyConfigurations');
    const inventories = [...others, inventory].sort(byId);
    if (JSON.stringify(inventories).length > MAX_INVENTORIES_LENGTH) {
      throw new S3Error('TooManyConfigurations', TOO_LONG);
    }
    return { ...settings, inventories };
  };
  await manifest.buckets.amend(bucket, change, call);
  return { status: 204 };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketInventoryConfiguration.html */
export const getBucketInventoryConfiguration: Operation = async (request, context) => {
  const id = requiredId(request);
  const inventory = (await latestInventories(context)).find((one) => one.id === id);
  if (inventory === undefined) throw new S3Error('NoSuchConfiguration');
  return { status: 200, body: inventoryDocument(inventory) };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketInventoryConfiguration.html */
export const deleteBucketInventoryConfiguration: Operation = async (request, context) => {
  const { bucket, manifest, call } = context;
  const id = requiredId(request);
  const change = (settings: BucketSettings): BucketSettings => {
    const { inventories = [] } = settings;
    const others = inventories.filter((one) => one.id !== id);
    if (others.length === inventories.length) throw new S3Error('NoSuchConfiguration');
    return others.length === 0 ? without(settings, 'inventories') : { ...settings, inventories: others };
  };
  await manifest.buckets.amend(bucket, change, call);
  return { status: 204 };
};

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBucketInventoryConfigurations.html */
export const listBucketInventoryConfigurations: Operation = async (request, context) => {
  const token = request.query.get('continuation-token') ?? '';
  const after = token === '' ? undefined : idOfToken(token);
  const all = await latestInventories(context);
  const rest = after === undefined ? all : all.filter(({ id }) => id > after);
  const inventories = rest.slice(0, PAGE);
  const last = inventories.at(-1);
  const next = rest.length > PAGE && last !== undefined ? tokenOfId(last.id) : undefined;
  return { status: 200, body: inventoryList({ inventories, token: token === '' ? undefined : token, next }) };
};

function byId(one: Inventory, other: Inventory): number {
  return one.id < other.id ? -1 : 1;
}

/** Read past the cache: the answer shows what any replica has just put. */
async function latestInventories({ bucket, manifest, call }: OperationContext): Promise<readonly Inventory[]> {
  return (await manifest.buckets.latest(bucket, call)).settings.inventories ?? [];
}

function tokenOfId(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/** @throws S3Error InvalidArgument: no answer has given it out */
function idOfToken(token: string): string {
  const id = Buffer.from(token, 'base64url').toString();
  if (tokenOfId(id) !== token) throw wrongToken();
  return id;
}
