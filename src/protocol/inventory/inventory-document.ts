import { S3Error, invalidArgument, notOffered } from '../../errors/s3-error.ts';
import { checkKeyLength } from '../address.ts';
import { isBucketName } from '../bucket-name.ts';
import { type Decoded, decodeXml } from '../xml/decode.ts';
import { type XmlDocument, type XmlValue, xml } from '../xml/document.ts';
import { boolean, text } from '../xml/shape-parts.ts';
import type { XmlShape } from '../xml/shape.ts';
import {
  bucketOfArn,
  FREQUENCIES,
  INVENTORY_FORMATS,
  type Inventory,
  type InventoryDestination,
  type InventoryFormat,
  OPTIONAL_FIELDS,
  type OptionalField,
} from './inventory.ts';
import { reportKeys } from './report-keys.ts';

const CONFIGURATION = {
  kind: 'struct',
  fields: [
    {
      element: 'Destination',
      required: true,
      content: {
        kind: 'struct',
        fields: [
          {
            element: 'S3BucketDestination',
            required: true,
            content: {
              kind: 'struct',
              fields: [
                { element: 'AccountId', content: text },
                { element: 'Bucket', content: text, required: true },
                { element: 'Format', content: text, required: true },
                { element: 'Prefix', content: text },
                {
                  element: 'Encryption',
                  content: {
                    kind: 'struct',
                    fields: [
                      { element: 'SSE-S3', property: 's3', content: { kind: 'struct', fields: [] } },
                      {
                        element: 'SSE-KMS',
                        property: 'kms',
                        content: { kind: 'struct', fields: [{ element: 'KeyId', content: text, required: true }] },
                      },
                    ],
                  },
                },
              ],
            },
          },
        ],
      },
    },
    { element: 'IsEnabled', content: boolean, required: true },
    {
      element: 'Filter',
      content: { kind: 'struct', fields: [{ element: 'Prefix', content: text, required: true }] },
    },
    { element: 'Id', content: text, required: true },
    { element: 'IncludedObjectVersions', content: text, required: true },
    { element: 'Field', property: 'fields', list: { wrapper: 'OptionalFields' }, content: text },
    {
      element: 'Schedule',
      required: true,
      content: { kind: 'struct', fields: [{ element: 'Frequency', content: text, required: true }] },
    },
  ],
} as const;

/** Body of Put- and GetBucketInventoryConfiguration. */
const INVENTORY_CONFIGURATION = {
  root: 'InventoryConfiguration',
  content: CONFIGURATION,
} as const satisfies XmlShape;

/** Answer of ListBucketInventoryConfigurations. */
const INVENTORY_LIST = {
  root: 'ListInventoryConfigurationsResult',
  content: {
    kind: 'struct',
    fields: [
      { element: 'ContinuationToken', content: text },
      { element: 'InventoryConfiguration', property: 'inventories', list: {}, content: CONFIGURATION },
      { element: 'IsTruncated', content: boolean },
      { element: 'NextContinuationToken', content: text },
    ],
  },
} as const satisfies XmlShape;

type Configuration = Decoded<typeof INVENTORY_CONFIGURATION>;

/** Terraform's provider knows the rule, AWS's reference does not say it. */
const ID = /^[0-9A-Za-z_.-]{1,64}$/;
const MAX_PREFIX_BYTES = 1024;
/** https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html */
const MAX_KEY_ID_LENGTH = 2048;
/** Fields that S3 has and reports here have not. */
const NOT_OFFERED: readonly string[] = [
  'IntelligentTieringReferenceDate',
  'ObjectLockEventHoldDuration',
  'ObjectLockEventHoldStatus',
];

/**
 * Reads the document of PutBucketInventoryConfiguration.
 * @param id that the request names @param source name of its bucket
 * @throws S3Error MalformedXML, IdMismatch, InvalidArgument, InvalidRequest, InvalidS3DestinationBucket,
 * KeyTooLongError (no room for the names of a report), NotImplemented (ORC, fields that are not offered)
 */
export function requestedInventory(body: Uint8Array, id: string, source: string): Inventory {
  const document = decodeXml(INVENTORY_CONFIGURATION, body);
  const { IncludedObjectVersions: versions, Schedule, fields } = document;
  if (document.Id !== id) throw new S3Error('IdMismatch');
  if (!ID.test(id)) throw invalidArgument('id', id, 'The specified configuration id is not valid.');
  if (versions !== 'All' && versions !== 'Current') throw new S3Error('MalformedXML');
  const prefix = document.Filter?.Prefix;
  if (prefix !== undefined && Buffer.byteLength(prefix) > MAX_PREFIX_BYTES) {
    throw new S3Error('InvalidRequest', { message: 'The maximum size of a prefix is 1024' });
  }
  const inventory: Inventory = {
    id,
    isEnabled: document.IsEnabled,
    versions,
    ...(prefix !== undefined && { prefix }),
    ...(fields !== undefined && fields.length > 0 && { fields: requestedFields(fields) }),
    frequency: oneOf(FREQUENCIES, Schedule.Frequency),
    destination: requestedDestination(document),
  };
  const keys = reportKeys(inventory, source, 0);
  for (const key of [keys.data('0'.repeat(36)), keys.symlink]) checkKeyLength(key);
  return inventory;
}

/** @throws S3Error MalformedXML: it is none of them */
function oneOf<T extends string>(known: readonly T[], said: string): T {
  const found = known.find((one) => one === said);
  if (found === undefined) throw new S3Error('MalformedXML');
  return found;
}

function requestedFields(said: readonly string[]): readonly OptionalField[] {
  if (new Set(said).size !== said.length) throw new S3Error('MalformedXML');
  const missing = said.find((field) => NOT_OFFERED.includes(field));
  if (missing !== undefined) throw notOffered(`The field ${missing} of inventory reports`);
  return said.map((field) => oneOf(OPTIONAL_FIELDS, field));
}

function requestedDestination({ Destination }: Configuration): InventoryDestination {
  const { AccountId: accountId, Bucket: bucketArn, Prefix: prefix, ...said } = Destination.S3BucketDestination;
  if (!isBucketName(bucketOfArn(bucketArn) ?? '')) throw new S3Error('InvalidS3DestinationBucket');
  if (accountId !== undefined && !/^\d{12}$/.test(accountId)) {
    throw invalidArgument('AccountId', accountId, 'The specified account id is not valid.');
  }
  const encryption = requestedEncryption(said);
  return {
    bucketArn,
    format: requestedFormat(said.Format),
    ...(accountId !== undefined && { accountId }),
    ...(prefix !== undefined && { prefix }),
    ...(encryption !== undefined && { encryption }),
  };
}

function requestedFormat(said: string): InventoryFormat {
  if (said === 'ORC') throw notOffered('Inventory in the format ORC');
  return oneOf(INVENTORY_FORMATS, said);
}

function requestedEncryption({
  Encryption: said,
}: Pick<Configuration['Destination']['S3BucketDestination'], 'Encryption'>): InventoryDestination['encryption'] {
  if (said === undefined) return undefined;
  const { s3, kms } = said;
  if ((s3 === undefined) === (kms === undefined)) throw new S3Error('MalformedXML');
  if (kms === undefined) return { kind: 's3' };
  if (kms.KeyId === '' || kms.KeyId.length > MAX_KEY_ID_LENGTH) throw new S3Error('MalformedXML');
  return { kind: 'kms', keyId: kms.KeyId };
}

export function inventoryDocument(inventory: Inventory): XmlDocument {
  return xml(INVENTORY_CONFIGURATION, inventoryValue(inventory));
}

/** A page of a bucket's inventories. */
interface InventoryPage {
  readonly inventories: readonly Inventory[];
  /** That the request named. */
  readonly token: string | undefined;
  /** Of the next page; undefined: there is none. */
  readonly next: string | undefined;
}

export function inventoryList({ inventories, token, next }: InventoryPage): XmlDocument {
  return xml(INVENTORY_LIST, {
    ContinuationToken: token,
    inventories: inventories.map(inventoryValue),
    IsTruncated: next !== undefined,
    NextContinuationToken: next,
  });
}

function inventoryValue({ id, isEnabled, versions, prefix, fields, frequency, destination }: Inventory): XmlValue {
  const { accountId, bucketArn, format, encryption } = destination;
  const kms = encryption?.kind === 'kms' ? { KeyId: encryption.keyId } : undefined;
  return {
    Destination: {
      S3BucketDestination: {
        AccountId: accountId,
        Bucket: bucketArn,
        Format: format,
        Prefix: destination.prefix,
        Encryption: encryption && { s3: encryption.kind === 's3' ? {} : undefined, kms },
      },
    },
    IsEnabled: isEnabled,
    Filter: prefix === undefined ? undefined : { Prefix: prefix },
    Id: id,
    IncludedObjectVersions: versions,
    fields,
    Schedule: { Frequency: frequency },
  };
}
