import { describe, expect, test } from 'vitest';
import { bucket, openScene, outcomeOf, put, get } from './scene.ts';

openScene();

const encryption = (rule: string): string =>
  `<ServerSideEncryptionConfiguration><Rule>${rule}</Rule></ServerSideEncryptionConfiguration>`;
const byDefault = (content: string): string =>
  `<ApplyServerSideEncryptionByDefault>${content}</ApplyServerSideEncryptionByDefault>`;
const AES256 = byDefault('<SSEAlgorithm>AES256</SSEAlgorithm>');

describe('a Put that restates what is in force is answered, and what Get answers stays what it was', () => {
  test.each([
    ['logging', '<BucketLoggingStatus/>'],
    ['notification', '<NotificationConfiguration/>'],
    ['requestPayment', '<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>'],
    ['abac', '<AbacStatus><Status>Disabled</Status></AbacStatus>'],
    ['encryption', encryption(`${AES256}<BucketKeyEnabled>false</BucketKeyEnabled>`)],
  ])('?%s', async (setting, document) => {
    expect(await get(setting)).toBe(document);
    expect(await put(setting, document)).toBe('200');
    expect(await get(setting)).toBe(document);
  });
});

describe('a Put that is told apart from none', () => {
  test('accelerate: never set, then suspended', async () => {
    const suspended = '<AccelerateConfiguration><Status>Suspended</Status></AccelerateConfiguration>';
    expect(await get('accelerate')).toBe('<AccelerateConfiguration/>');
    expect(await put('accelerate', suspended)).toBe('200');
    expect(await get('accelerate')).toBe(suspended);
    expect(await put('accelerate', '<AccelerateConfiguration><Status>Enabled</Status></AccelerateConfiguration>')).toBe(
      '501 NotImplemented',
    );
    expect(await get('accelerate')).toBe(suspended);
  });

  test('encryption: what is said beside the algorithm is read again, until it is deleted', async () => {
    const said = encryption(
      `${AES256}<BucketKeyEnabled>true</BucketKeyEnabled><BlockedEncryptionTypes><EncryptionType>SSE-C</EncryptionType></BlockedEncryptionTypes>`,
    );
    expect(await put('encryption', said)).toBe('200');
    expect(await get('encryption')).toBe(said);
    expect(await put('encryption', encryption(AES256))).toBe('200');
    expect(await get('encryption')).toBe(encryption(`${AES256}<BucketKeyEnabled>false</BucketKeyEnabled>`));
    expect(await put('encryption', said)).toBe('200');
    expect(await outcomeOf({ method: 'DELETE', target: `/${bucket}?encryption` })).toBe('204');
    expect(await get('encryption')).toBe(encryption(`${AES256}<BucketKeyEnabled>false</BucketKeyEnabled>`));
  });
});

describe("anything else is refused in S3's words, and nothing changes", () => {
  test.each([
    [
      'logging',
      '<BucketLoggingStatus><LoggingEnabled><TargetBucket>logs</TargetBucket><TargetPrefix/></LoggingEnabled></BucketLoggingStatus>',
      '400 InvalidTargetBucketForLogging',
    ],
    ['logging', '<BucketLoggingStatus><Logging/></BucketLoggingStatus>', '400 MalformedXML'],
    [
      'notification',
      '<NotificationConfiguration><EventBridgeConfiguration/></NotificationConfiguration>',
      '501 NotImplemented',
    ],
    ['notification', '<BucketLoggingStatus/>', '400 MalformedXML'],
    ['notification', '', '400 MissingRequestBodyError'],
    ['logging', '', '400 MalformedXML'],
    [
      'requestPayment',
      '<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>',
      '501 NotImplemented',
    ],
    [
      'requestPayment',
      '<RequestPaymentConfiguration><Payer>Me</Payer></RequestPaymentConfiguration>',
      '400 MalformedXML',
    ],
    ['requestPayment', '', '400 MalformedXML'],
    ['abac', '<AbacStatus><Status>On</Status></AbacStatus>', '400 MalformedXML'],
    ['accelerate', '<AccelerateConfiguration><Status>On</Status></AccelerateConfiguration>', '400 MalformedXML'],
    [
      'encryption',
      encryption(byDefault('<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>k</KMSMasterKeyID>')),
      '501 NotImplemented',
    ],
    [
      'encryption',
      encryption(byDefault('<SSEAlgorithm>AES256</SSEAlgorithm><KMSMasterKeyID>k</KMSMasterKeyID>')),
      '400 InvalidArgument',
    ],
    ['encryption', encryption(byDefault('<SSEAlgorithm>AES128</SSEAlgorithm>')), '400 MalformedXML'],
    [
      'encryption',
      encryption(`${AES256}<BlockedEncryptionTypes><EncryptionType>SSE-X</EncryptionType></BlockedEncryptionTypes>`),
      '400 MalformedXML',
    ],
    ['encryption', '<ServerSideEncryptionConfiguration/>', '400 MalformedXML'],
    ['replication', '<ReplicationConfiguration><Role>r</Role></ReplicationConfiguration>', '400 InvalidRequest'],
    ['replication', '<Replication/>', '400 MalformedXML'],
    ['metrics&id=a', '<MetricsConfiguration><Id>a</Id></MetricsConfiguration>', '501 NotImplemented'],
    ['metrics', '<MetricsConfiguration><Id>a</Id></MetricsConfiguration>', '400 InvalidArgument'],
    ['analytics&id=a', '<AnalyticsConfiguration/>', '400 MalformedXML'],
    ['inventory&id=a', '<InventoryConfiguration><Id>a</Id></InventoryConfiguration>', '400 MalformedXML'],
    [
      'intelligent-tiering&id=a',
      '<IntelligentTieringConfiguration><Id>a</Id></IntelligentTieringConfiguration>',
      '501 NotImplemented',
    ],
  ])('?%s %s', async (setting, document, expected) => {
    const before = await get(setting);
    expect(await put(setting, document)).toBe(expected);
    expect(await get(setting)).toBe(before);
  });

  test('to a missing bucket, and to whoever may not, says that first', async () => {
    const sent = { method: 'PUT', target: `/${bucket}?logging`, body: '<BucketLoggingStatus/>' };
    expect(await outcomeOf(sent, 'other')).toBe('403 AccessDenied');
    expect(await outcomeOf({ ...sent, target: '/infra-missing?logging' })).toBe('404 NoSuchBucket');
  });

  test('replication of a bucket with versions', async () => {
    expect(await put('versioning', '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>')).toBe(
      '200',
    );
    expect(await put('replication', '<ReplicationConfiguration><Role>r</Role></ReplicationConfiguration>')).toBe(
      '501 NotImplemented',
    );
  });
});

describe('what was never set', () => {
  test.each([
    [
      'analytics',
      '<ListBucketAnalyticsConfigurationResult><IsTruncated>false</IsTruncated></ListBucketAnalyticsConfigurationResult>',
    ],
    ['metrics', '<ListMetricsConfigurationsResult><IsTruncated>false</IsTruncated></ListMetricsConfigurationsResult>'],
    [
      'inventory',
      '<ListInventoryConfigurationsResult><IsTruncated>false</IsTruncated></ListInventoryConfigurationsResult>',
    ],
    [
      'intelligent-tiering',
      '<ListBucketIntelligentTieringConfigurationsOutput><IsTruncated>false</IsTruncated></ListBucketIntelligentTieringConfigurationsOutput>',
    ],
    ['metrics&id=x', '404 NoSuchConfiguration'],
    ['metrics&continuation-token=x', '400 InvalidArgument'],
    ['metadataConfiguration', '404 MetadataConfigurationNotFound'],
    ['metadataTable', '404 MetadataConfigurationNotFound'],
    ['replication', '404 ReplicationConfigurationNotFoundError'],
  ])('?%s', async (setting, expected) => {
    expect(await get(setting)).toBe(expected);
  });
});
