import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Caller, type Sent, outcome, send } from '../support/acl-client.ts';
import { type TestGateway, startTestGateway } from '../support/gateway.ts';
import type { RawAnswer } from '../support/raw-http.ts';

let gateway: TestGateway;
let bucket: string;
let made = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

beforeEach(async () => {
  bucket = `infra-${++made}`;
  expect(await outcomeOf({ method: 'PUT', target: `/${bucket}` })).toBe('200');
});

async function outcomeOf(sent: Sent, caller: Caller = 'owner'): Promise<string> {
  return outcome(await send(gateway.port, caller, sent));
}

function put(setting: string, body: string): Promise<string> {
  return outcomeOf({ method: 'PUT', target: `/${bucket}?${setting}`, body });
}

/** The document without prolog and namespace, or the error. */
async function get(setting: string): Promise<string> {
  return documentOf(await send(gateway.port, 'owner', { method: 'GET', target: `/${bucket}?${setting}` }));
}

function documentOf(answer: RawAnswer): string {
  return answer.status === 200
    ? answer.body.replace('<?xml version="1.0" encoding="UTF-8"?>\n', '').replace(/ xmlns="[^"]*"/, '')
    : outcome(answer);
}

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
      '501 NotImplemented',
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
    ['inventory&id=a', '<InventoryConfiguration><Id>a</Id></InventoryConfiguration>', '501 NotImplemented'],
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

describe('CreateBucket', () => {
  const create = (content: string, name = `${bucket}-new`): Sent => ({
    method: 'PUT',
    target: `/${name}`,
    body: `<CreateBucketConfiguration>${content}</CreateBucketConfiguration>`,
  });

  test('with tags, which the bucket has from its first moment', async () => {
    const answer = await send(
      gateway.port,
      'owner',
      create('<Tags><Tag><Key>b</Key><Value>2</Value></Tag><Tag><Key>a</Key><Value/></Tag></Tags>'),
    );
    expect(answer.status).toBe(200);
    expect(answer.headers['x-amz-bucket-arn']).toBe(`arn:aws:s3:::${bucket}-new`);
    bucket = `${bucket}-new`;
    expect(await get('tagging')).toBe(
      '<Tagging><TagSet><Tag><Key>a</Key><Value></Value></Tag><Tag><Key>b</Key><Value>2</Value></Tag></TagSet></Tagging>',
    );
    expect(await outcomeOf(create('<Tags><Tag><Key>c</Key><Value/></Tag></Tags>', bucket))).toBe(
      '409 BucketAlreadyOwnedByYou',
    );
    expect(await get('tagging')).not.toContain('<Key>c</Key>');
    expect(await outcomeOf({ method: 'PUT', target: `/${bucket}` })).toBe('200');
  });

  test.each([
    ['<LocationConstraint>us-east-1</LocationConstraint>', '200'],
    ['<LocationConstraint>eu-west-1</LocationConstraint>', '200'],
    ['<LocationConstraint>nowhere</LocationConstraint>', '400 InvalidLocationConstraint'],
    ['<Tags><Tag><Key>a</Key><Value/></Tag><Tag><Key>a</Key><Value/></Tag></Tags>', '400 InvalidTag'],
    ['<Tags><Tag><Key>aws:a</Key><Value/></Tag></Tags>', '400 InvalidTag'],
    ['<Tags><Tag><Key>a</Key></Tag></Tags>', '400 MalformedXML'],
    ['<Location><Name>use1-az4</Name><Type>AvailabilityZone</Type></Location>', '501 NotImplemented'],
  ])('with %s', async (content, expected) => {
    expect(await outcomeOf(create(content))).toBe(expected);
    expect(await outcomeOf({ method: 'HEAD', target: `/${bucket}-new` })).toBe(expected === '200' ? '200' : '404');
  });

  test('HeadBucket names region and ARN', async () => {
    const { headers } = await send(gateway.port, 'owner', { method: 'HEAD', target: `/${bucket}` });
    expect(headers).toMatchObject({ 'x-amz-bucket-region': 'us-east-1', 'x-amz-bucket-arn': `arn:aws:s3:::${bucket}` });
  });
});

describe('S3 Control', () => {
  const ACCOUNT = '444444444444';
  const resource = (name = bucket): string => `/v20180820/tags/arn%3Aaws%3As3%3A%3A%3A${name}`;
  const headers = { 'x-amz-account-id': ACCOUNT };
  const tagRequest = (...tags: readonly (readonly [string, string])[]): string =>
    `<TagResourceRequest><Tags>${tags.map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`).join('')}</Tags></TagResourceRequest>`;
  const list = async (): Promise<string> =>
    documentOf(await send(gateway.port, 'owner', { method: 'GET', target: resource(), headers }));
  const listed = (...tags: readonly (readonly [string, string])[]): string =>
    `<ListTagsForResourceResult><Tags>${tags.map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`).join('')}</Tags></ListTagsForResourceResult>`;

  test('tags are added, replaced, listed and taken away', async () => {
    expect(await list()).toBe('<ListTagsForResourceResult><Tags/></ListTagsForResourceResult>');
    expect(
      await outcomeOf({ method: 'POST', target: resource(), headers, body: tagRequest(['a', '1'], ['b', '2']) }),
    ).toBe('204');
    expect(
      await outcomeOf({ method: 'POST', target: resource(), headers, body: tagRequest(['b', '3'], ['c d', '4']) }),
    ).toBe('204');
    expect(await list()).toBe(listed(['a', '1'], ['b', '3'], ['c d', '4']));
    expect(await get('tagging')).toContain('<Tag><Key>b</Key><Value>3</Value></Tag>');
    expect(
      await outcomeOf({ method: 'DELETE', target: `${resource()}?tagKeys=a&tagKeys=c%20d&tagKeys=none`, headers }),
    ).toBe('204');
    expect(await list()).toBe(listed(['b', '3']));
    expect(await outcomeOf({ method: 'DELETE', target: `${resource()}?tagKeys=b`, headers })).toBe('204');
    expect(await get('tagging')).toBe('404 NoSuchTagSet');
  });

  test('of more tags than a bucket may have none is added', async () => {
    const tags = (from: number): string =>
      tagRequest(...Array.from({ length: 30 }, (_none, index) => [`k${String(from + index)}`, 'v'] as const));
    expect(await outcomeOf({ method: 'POST', target: resource(), headers, body: tags(0) })).toBe('204');
    expect(await outcomeOf({ method: 'POST', target: resource(), headers, body: tags(30) })).toBe('400 BadRequest');
    expect(await list()).not.toContain('k30');
  });

  test.each([
    ['a bucket that is missing', { method: 'GET', target: resource('infra-none'), headers }, '404 NoSuchBucket'],
    [
      'another account',
      { method: 'GET', target: resource('infra-1'), headers: { 'x-amz-account-id': '555555555555' } },
      '403 AccessDenied',
    ],
    ['no ARN', { method: 'GET', target: '/v20180820/tags/bucket', headers }, '400 InvalidRequest'],
    [
      'the ARN of something else',
      {
        method: 'GET',
        target: '/v20180820/tags/arn%3Aaws%3As3%3Aus-east-1%3A444444444444%3Astorage-lens%2Fx',
        headers,
      },
      '501 NotImplemented',
    ],
    ['another call', { method: 'GET', target: '/v20180820/accesspoint', headers }, '501 NotImplemented'],
    ['another method', { method: 'PUT', target: resource('infra-1'), headers }, '405 MethodNotAllowed'],
    [
      'no tags',
      { method: 'POST', target: resource('infra-1'), headers, body: '<TagResourceRequest/>' },
      '400 MalformedXML',
    ],
    ['no keys', { method: 'DELETE', target: resource('infra-1'), headers }, '400 InvalidArgument'],
  ])('%s', async (_name, sent, expected) => {
    const answer = await send(gateway.port, 'owner', sent);
    expect(answer.body).toContain('<ErrorResponse><Error>');
    expect(outcome(answer)).toBe(expected);
  });

  test('strangers and other accounts learn nothing', async () => {
    const sent = { method: 'GET', target: resource(), headers };
    expect(await outcomeOf(sent, 'anonymous')).toBe('403 AccessDenied');
    expect(await outcomeOf(sent, 'other')).toBe('403 AccessDenied');
    expect(await outcomeOf({ ...sent, headers: { 'x-amz-account-id': '555555555555' } }, 'other')).toBe(
      '403 AccessDenied',
    );
  });

  test('a bucket named like that API is a bucket to requests that name no account', async () => {
    await outcomeOf({ method: 'PUT', target: '/v20180820' });
    expect(await outcomeOf({ method: 'PUT', target: resource(), body: 'x' })).toBe('200');
    expect((await send(gateway.port, 'owner', { method: 'GET', target: resource() })).body).toBe('x');
  });
});

describe('regions', () => {
  test('a signature for another region is refused, naming the right one, whether the bucket is there or not', async () => {
    for (const method of ['PUT', 'GET', 'HEAD'] as const) {
      const answer = await send(gateway.port, 'owner', { method, target: '/infra-nowhere', region: 'eu-west-1' });
      expect(answer.status).toBe(400);
      expect(answer.headers['x-amz-bucket-region']).toBe('us-east-1');
      if (method !== 'HEAD') {
        expect(answer.body).toContain(
          "<Code>AuthorizationHeaderMalformed</Code><Message>The authorization header is malformed; the region 'eu-west-1' is wrong; expecting 'us-east-1'</Message><Region>us-east-1</Region>",
        );
      }
    }
    expect(await outcomeOf({ method: 'HEAD', target: '/infra-nowhere' })).toBe('404');
  });

  describe('elsewhere than in the first', () => {
    let european: TestGateway;
    beforeAll(async () => {
      european = await startTestGateway({ region: 'eu-west-1' });
    });
    afterAll(() => european.close());

    test.each([
      ['', '400 IllegalLocationConstraintException'],
      ['<LocationConstraint>us-east-2</LocationConstraint>', '400 IllegalLocationConstraintException'],
      ['<LocationConstraint>atlantis-1</LocationConstraint>', '400 InvalidLocationConstraint'],
      ['<LocationConstraint>eu-west-1</LocationConstraint>', '200'],
    ])('"%s"', async (content, expected) => {
      const body = `<CreateBucketConfiguration>${content}</CreateBucketConfiguration>`;
      expect(
        outcome(
          await send(european.port, 'owner', { method: 'PUT', target: '/infra-place', region: 'eu-west-1', body }),
        ),
      ).toBe(expected);
    });
  });

  describe('any, where the configuration says so', () => {
    let any: TestGateway;
    const from = (region: string, sent: Sent): Promise<RawAnswer> => send(any.port, 'owner', { ...sent, region });
    beforeAll(async () => {
      any = await startTestGateway({ region: 'westeurope', acceptAnyRegion: true });
    });
    afterAll(() => any.close());

    test('clients sign and create for theirs, and are told ours', async () => {
      for (const region of ['us-east-1', 'eu-west-1', 'minio', 'westeurope', 'us-east-1']) {
        const body = `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;
        expect(outcome(await from(region, { method: 'PUT', target: `/infra-any-${region}`, body }))).toMatch(
          /^(?:200|409 BucketAlreadyOwnedByYou)$/,
        );
        expect(documentOf(await from(region, { method: 'GET', target: `/infra-any-${region}?location` }))).toBe(
          '<LocationConstraint>westeurope</LocationConstraint>',
        );
        expect((await from(region, { method: 'GET', target: `/?bucket-region=${region}` })).body).toContain(
          `<Name>infra-any-${region}</Name>`,
        );
      }
    });

    test('what is wrong otherwise is refused as ever', async () => {
      expect(
        outcome(await send(any.port, 'owner', { method: 'GET', target: '/', region: 'us-east-1', secretKey: 'wrong' })),
      ).toBe('403 SignatureDoesNotMatch');
      expect(outcome(await from('us east', { method: 'GET', target: '/' }))).toBe('400 AuthorizationHeaderMalformed');
      expect(outcome(await from('x'.repeat(65), { method: 'GET', target: '/' }))).toBe(
        '400 AuthorizationHeaderMalformed',
      );
    });
  });

  test.each([
    ['', '200'],
    ['us-east-1', '200'],
    ['eu-west-1', '409 BucketAlreadyOwnedByYou'],
  ])('a bucket made again in "%s": %s', async (location, expected) => {
    const target = `/infra-again-${location}x`;
    const body = `<CreateBucketConfiguration>${location === '' ? '' : `<LocationConstraint>${location}</LocationConstraint>`}</CreateBucketConfiguration>`;
    expect(outcome(await send(gateway.port, 'owner', { method: 'PUT', target, body }))).toBe('200');
    expect(outcome(await send(gateway.port, 'owner', { method: 'PUT', target, body }))).toBe(expected);
  });

  test('ListBuckets of another region is empty', async () => {
    expect((await send(gateway.port, 'owner', { method: 'GET', target: '/?bucket-region=us-east-1' })).body).toContain(
      `<Name>${bucket}</Name>`,
    );
    expect(
      (await send(gateway.port, 'owner', { method: 'GET', target: '/?bucket-region=eu-west-1' })).body,
    ).not.toContain('<Name>');
  });
});
