import { beforeEach, describe, expect, test } from 'vitest';
import { type Sent, contentMd5, outcome } from '../../support/clients/acl-client.ts';
import { testCall } from '../../support/test-call.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

const shared = sharedGateway();
const { ask, as } = shared;
let bucket: string;
let made = 0;

beforeEach(async () => {
  bucket = `settings-${++made}`;
  expect(await as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
});

function put(setting: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return as('owner', { method: 'PUT', target: `/${bucket}?${setting}`, body, headers });
}

/** The document without prolog and namespace, or the error. */
async function get(setting: string): Promise<string> {
  const answer = await ask('owner', { method: 'GET', target: `/${bucket}?${setting}` });
  if (answer.status !== 200) return outcome(answer);
  expect(answer.headers['content-type']).toBe('application/xml');
  return answer.body
    .replace('<?xml version="1.0" encoding="UTF-8"?>\n', '')
    .replace(' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"', '');
}

async function lockedBucket(): Promise<void> {
  bucket = `${bucket}-locked`;
  expect(
    await as('owner', { method: 'PUT', target: `/${bucket}`, headers: { 'x-amz-bucket-object-lock-enabled': 'true' } }),
  ).toBe('200');
}

const versioning = (content: string): string => `<VersioningConfiguration>${content}</VersioningConfiguration>`;
const status = (value: string): string => versioning(`<Status>${value}</Status>`);

describe('versioning', () => {
  test('was never set, then is Enabled or Suspended', async () => {
    expect(await get('versioning')).toBe('<VersioningConfiguration/>');
    for (const value of ['Suspended', 'Enabled', 'Enabled', 'Suspended', 'Enabled']) {
      expect(await put('versioning', status(value))).toBe('200');
      expect(await get('versioning')).toBe(status(value));
    }
  });

  test.each([
    ['no status', versioning(''), '400 IllegalVersioningConfigurationException'],
    ['only MFA', versioning('<MfaDelete>Disabled</MfaDelete>'), '400 IllegalVersioningConfigurationException'],
    ['a status in other letters', status('enabled'), '400 MalformedXML'],
    ['Disabled', status('Disabled'), '400 MalformedXML'],
    ['an empty status', status(''), '400 MalformedXML'],
    ['two', versioning('<Status>Enabled</Status><Status>Suspended</Status>'), '400 MalformedXML'],
    ['MFA delete', versioning('<Status>Enabled</Status><MfaDelete>Enabled</MfaDelete>'), '501 NotImplemented'],
    [
      'an MFA delete of other letters',
      versioning('<Status>Enabled</Status><MfaDelete>on</MfaDelete>'),
      '400 MalformedXML',
    ],
    ['another document', '<Tagging/>', '400 MalformedXML'],
    ['nothing', '', '400 MalformedXML'],
  ])('%s is refused', async (_name, body, expected) => {
    expect(await put('versioning', body)).toBe(expected);
    expect(await get('versioning')).toBe('<VersioningConfiguration/>');
  });

  test('with MFA delete off it is what it is without', async () => {
    expect(await put('versioning', versioning('<Status>Enabled</Status><MfaDelete>Disabled</MfaDelete>'))).toBe('200');
    expect(await get('versioning')).toBe(status('Enabled'));
  });

  test('a damaged document changes nothing', async () => {
    expect(await put('versioning', status('Enabled'), { 'content-md5': contentMd5('other') })).toBe('400 BadDigest');
    expect(await get('versioning')).toBe('<VersioningConfiguration/>');
  });

  test('cannot be taken back, and has no DELETE', async () => {
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?versioning` })).toBe('405 MethodNotAllowed');
  });

  test('of a container that native tools made', async () => {
    bucket = 'native-container';
    await shared.gateway.store.createContainer(bucket, {}, testCall());
    expect(await get('versioning')).toBe('<VersioningConfiguration/>');
    expect(await put('versioning', status('Enabled'))).toBe('200');
    expect(await get('versioning')).toBe(status('Enabled'));
  });
});

const lock = (content: string, enabled = '<ObjectLockEnabled>Enabled</ObjectLockEnabled>'): string =>
  `<ObjectLockConfiguration>${enabled}${content}</ObjectLockConfiguration>`;
const rule = (content: string): string => `<Rule><DefaultRetention>${content}</DefaultRetention></Rule>`;
const ONE_DAY = lock(rule('<Mode>GOVERNANCE</Mode><Days>1</Days>'));

describe('object lock', () => {
  test('asked for with the bucket: it is versioned, and cannot be suspended', async () => {
    await lockedBucket();
    expect(await get('object-lock')).toBe(lock(''));
    expect(await get('versioning')).toBe(status('Enabled'));
    expect(await put('versioning', status('Suspended'))).toBe('409 InvalidBucketState');
    expect(await put('versioning', status('Enabled'))).toBe('200');
    expect(await get('versioning')).toBe(status('Enabled'));
  });

  test.each([
    ['days', ONE_DAY],
    ['years', lock(rule('<Mode>COMPLIANCE</Mode><Years>100</Years>'))],
    ['the most days', lock(rule('<Mode>COMPLIANCE</Mode><Days>36500</Days>'))],
    ['no rule', lock('')],
  ])('has a default of %s', async (_name, document) => {
    await lockedBucket();
    expect(await put('object-lock', lock(rule('<Mode>GOVERNANCE</Mode><Days>7</Days>')))).toBe('200');
    expect(await put('object-lock', document)).toBe('200');
    expect(await get('object-lock')).toBe(document);
  });

  test('is turned on later, on a bucket that is versioned then', async () => {
    expect(await get('object-lock')).toBe('404 ObjectLockConfigurationNotFoundError');
    expect(await put('object-lock', ONE_DAY)).toBe('409 InvalidBucketState');
    expect(await put('versioning', status('Suspended'))).toBe('200');
    expect(await put('object-lock', ONE_DAY)).toBe('409 InvalidBucketState');
    expect(await get('object-lock')).toBe('404 ObjectLockConfigurationNotFoundError');
    expect(await put('versioning', status('Enabled'))).toBe('200');
    expect(await put('object-lock', ONE_DAY)).toBe('200');
    expect(await get('object-lock')).toBe(ONE_DAY);
    expect(await put('versioning', status('Suspended'))).toBe('409 InvalidBucketState');
  });

  test.each([
    ['days and years', lock(rule('<Mode>GOVERNANCE</Mode><Days>1</Days><Years>1</Years>')), '400 MalformedXML'],
    ['neither', lock(rule('<Mode>GOVERNANCE</Mode>')), '400 MalformedXML'],
    ['no mode', lock(rule('<Days>1</Days>')), '400 MalformedXML'],
    ['an unknown mode', lock(rule('<Mode>abc</Mode><Days>1</Days>')), '400 MalformedXML'],
    ['a mode in other letters', lock(rule('<Mode>governance</Mode><Days>1</Days>')), '400 MalformedXML'],
    ['an empty rule', lock('<Rule/>'), '400 MalformedXML'],
    ['Disabled', lock('', '<ObjectLockEnabled>Disabled</ObjectLockEnabled>'), '400 MalformedXML'],
    ['no word about being enabled', lock(rule('<Mode>GOVERNANCE</Mode><Days>1</Days>'), ''), '400 MalformedXML'],
    ['no day', lock(rule('<Mode>GOVERNANCE</Mode><Days>0</Days>')), '400 InvalidRetentionPeriod'],
    ['less than a year', lock(rule('<Mode>GOVERNANCE</Mode><Years>-1</Years>')), '400 InvalidRetentionPeriod'],
    ['half a day', lock(rule('<Mode>GOVERNANCE</Mode><Days>0.5</Days>')), '400 MalformedXML'],
    ['too many days', lock(rule('<Mode>GOVERNANCE</Mode><Days>36501</Days>')), '400 InvalidArgument'],
    ['too many years', lock(rule('<Mode>GOVERNANCE</Mode><Years>101</Years>')), '400 InvalidArgument'],
    ['nothing', '', '400 MissingRequestBodyError'],
    ['a document without anything', '<ObjectLockConfiguration/>', '400 MalformedXML'],
  ])('%s is refused', async (_name, body, expected) => {
    await lockedBucket();
    expect(await put('object-lock', ONE_DAY)).toBe('200');
    expect(await put('object-lock', body)).toBe(expected);
    expect(await get('object-lock')).toBe(ONE_DAY);
  });

  test.each([
    ['TRUE', '200'],
    ['false', '404 ObjectLockConfigurationNotFoundError'],
    ['yes', '400 InvalidArgument'],
  ])('asked for with "%s"', async (value, expected) => {
    bucket = `${bucket}-asked`;
    const created = await as('owner', {
      method: 'PUT',
      target: `/${bucket}`,
      headers: { 'x-amz-bucket-object-lock-enabled': value },
    });
    if (expected.startsWith('400')) {
      expect([created, await get('object-lock')]).toEqual([expected, '404 NoSuchBucket']);
    } else {
      expect(created).toBe('200');
      expect(await get('object-lock')).toBe(expected === '200' ? lock('') : expected);
    }
  });

  test('is not given to a bucket by creating it again', async () => {
    const headers = { 'x-amz-bucket-object-lock-enabled': 'true' };
    expect(await as('owner', { method: 'PUT', target: `/${bucket}`, headers })).toBe('409 BucketAlreadyExists');
    await lockedBucket();
    expect(await as('owner', { method: 'PUT', target: `/${bucket}`, headers })).toBe('200');
  });
});

const controls = (...ownerships: string[]): string =>
  `<OwnershipControls>${ownerships.map((value) => `<Rule><ObjectOwnership>${value}</ObjectOwnership></Rule>`).join('')}</OwnershipControls>`;

describe('ownership controls', () => {
  test('are none, any of three, none again', async () => {
    expect(await get('ownershipControls')).toBe('404 OwnershipControlsNotFoundError');
    for (const value of ['ObjectWriter', 'BucketOwnerPreferred', 'BucketOwnerEnforced']) {
      expect(await put('ownershipControls', controls(value))).toBe('200');
      expect(await get('ownershipControls')).toBe(controls(value));
    }
    for (let again = 0; again < 2; again++) {
      expect(await as('owner', { method: 'DELETE', target: `/${bucket}?ownershipControls` })).toBe('204');
    }
    expect(await get('ownershipControls')).toBe('404 OwnershipControlsNotFoundError');
  });

  test.each([
    ['an unknown one', controls('Nobody')],
    ['none', controls()],
    ['two', controls('ObjectWriter', 'ObjectWriter')],
    ['an empty rule', '<OwnershipControls><Rule/></OwnershipControls>'],
    ['nothing', ''],
  ])('%s: MalformedXML', async (_name, body) => {
    expect(await put('ownershipControls', body)).toBe('400 MalformedXML');
    expect(await get('ownershipControls')).toBe('404 OwnershipControlsNotFoundError');
  });

  test.each(['ObjectWriter', 'BucketOwnerPreferred', 'BucketOwnerEnforced'])(
    '%s can be asked for with the bucket',
    async (value) => {
      bucket = `${bucket}-owned`;
      const create: Sent = { method: 'PUT', target: `/${bucket}`, headers: { 'x-amz-object-ownership': value } };
      expect(await as('owner', create)).toBe('200');
      expect(await get('ownershipControls')).toBe(controls(value));
      expect(await as('owner', create), 'again').toBe('200');
    },
  );

  test('an unknown one with the bucket: InvalidArgument', async () => {
    bucket = `${bucket}-owned`;
    expect(
      await as('owner', { method: 'PUT', target: `/${bucket}`, headers: { 'x-amz-object-ownership': 'me' } }),
    ).toBe('400 InvalidArgument');
    expect(await get('ownershipControls')).toBe('404 NoSuchBucket');
  });
});

const NAMES = ['BlockPublicAcls', 'IgnorePublicAcls', 'BlockPublicPolicy', 'RestrictPublicBuckets'] as const;
const block = (...values: (string | undefined)[]): string => {
  const elements = NAMES.map((name, i) => (values[i] === undefined ? '' : `<${name}>${values[i]}</${name}>`));
  return `<PublicAccessBlockConfiguration>${elements.join('')}</PublicAccessBlockConfiguration>`;
};

describe('public access block', () => {
  test('is none, any of sixteen, none again', async () => {
    expect(await get('publicAccessBlock')).toBe('404 NoSuchPublicAccessBlockConfiguration');
    for (let bits = 0; bits < 16; bits++) {
      const document = block(...NAMES.map((_name, i) => String((bits >> i) % 2 === 1)));
      expect(await put('publicAccessBlock', document)).toBe('200');
      expect(await get('publicAccessBlock')).toBe(document);
    }
    for (let again = 0; again < 2; again++) {
      expect(await as('owner', { method: 'DELETE', target: `/${bucket}?publicAccessBlock` })).toBe('204');
    }
    expect(await get('publicAccessBlock')).toBe('404 NoSuchPublicAccessBlockConfiguration');
  });

  test('is off where it says nothing', async () => {
    expect(await put('publicAccessBlock', block(undefined, 'TRUE'))).toBe('200');
    expect(await get('publicAccessBlock')).toBe(block('false', 'true', 'false', 'false'));
    expect(await put('publicAccessBlock', block())).toBe('200');
    expect(await get('publicAccessBlock')).toBe(block('false', 'false', 'false', 'false'));
  });

  test.each([
    block('yes'),
    block(''),
    '<PublicAccessBlockConfiguration><All>true</All></PublicAccessBlockConfiguration>',
    '',
  ])('%j: MalformedXML', async (body) => {
    expect(await put('publicAccessBlock', body)).toBe('400 MalformedXML');
    expect(await get('publicAccessBlock')).toBe('404 NoSuchPublicAccessBlockConfiguration');
  });
});

describe('settings', () => {
  test('stand beside each other', async () => {
    await lockedBucket();
    expect(await put('object-lock', ONE_DAY)).toBe('200');
    expect(await put('ownershipControls', controls('BucketOwnerPreferred'))).toBe('200');
    expect(await put('publicAccessBlock', block('true', 'false', 'false', 'false'))).toBe('200');
    expect(await put('tagging', '<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>')).toBe(
      '204',
    );
    expect(await as('owner', { method: 'DELETE', target: `/${bucket}?publicAccessBlock` })).toBe('204');
    expect([await get('object-lock'), await get('ownershipControls'), await get('versioning')]).toEqual([
      ONE_DAY,
      controls('BucketOwnerPreferred'),
      status('Enabled'),
    ]);
    expect(await get('tagging')).toContain('<Key>k</Key>');
  });

  test.each(['versioning', 'object-lock', 'ownershipControls', 'publicAccessBlock'])(
    '%s of no bucket: NoSuchBucket',
    async (setting) => {
      bucket = 'no-such-bucket';
      expect(await get(setting)).toBe('404 NoSuchBucket');
      expect(await put(setting, 'not read')).toBe('404 NoSuchBucket');
    },
  );

  test.each(['versioning', 'object-lock', 'ownershipControls', 'publicAccessBlock'])(
    '%s of another owner than expected: AccessDenied',
    async (setting) => {
      const headers = { 'x-amz-expected-bucket-owner': '000000000000' };
      expect(await as('owner', { method: 'GET', target: `/${bucket}?${setting}`, headers })).toBe('403 AccessDenied');
      expect(await put(setting, 'not read', headers)).toBe('403 AccessDenied');
    },
  );
});
