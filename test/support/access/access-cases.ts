import { UNSET_CONFIGURATIONS } from '../../../src/operations/bucket/settings/unset-configuration.ts';
import { operationRow, type OperationName } from '../../../src/protocol/operation-table.ts';
import { type Sent, contentMd5 } from '../clients/acl-client.ts';
import { BOUNDARY, formBody } from '../clients/post-form.ts';

/** A bucket with an `object` and an open upload of `big`. */
export interface Place {
  readonly bucket: string;
  readonly uploadId: string;
  readonly etag: string;
}

/** Who is let in where the object is its bucket's owner's, and canned ACLs are all there is. */
export type Needs = 'nobody' | 'account' | 'owner' | 'bucketRead' | 'bucketWrite' | 'objectRead' | 'copy';

export interface Case {
  readonly needs: Needs;
  readonly request: (place: Place) => Sent;
  /** A refusal for another reason, which shows that the caller was let in. */
  readonly otherwise?: RegExp;
}

const DELETE = '<Delete><Object><Key>object</Key></Object></Delete>';
const TAGGING = '<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>';
const VERSIONING = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
const OBJECT_LOCK = '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>';
const CORS =
  '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>';
const LIFECYCLE =
  '<LifecycleConfiguration><Rule><Filter/><Status>Enabled</Status><Expiration><Days>9</Days></Expiration></Rule></LifecycleConfiguration>';
const RETENTION = '<Retention/>';
const LEGAL_HOLD = '<LegalHold><Status>ON</Status></LegalHold>';
const OWNERSHIP =
  '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerPreferred</ObjectOwnership></Rule></OwnershipControls>';
const ACCESS_BLOCK =
  '<PublicAccessBlockConfiguration><BlockPublicPolicy>true</BlockPublicPolicy></PublicAccessBlockConfiguration>';
export const key =
  (query = '') =>
  ({ bucket }: Place): string =>
    `/${bucket}/object${query}`;
const bucketGet =
  (query: string) =>
  ({ bucket }: Place): Sent => ({ method: 'GET', target: `/${bucket}${query}` });
const bucketPut =
  (query: string, body: string) =>
  ({ bucket }: Place): Sent => ({ method: 'PUT', target: `/${bucket}${query}`, body });
const bucketDelete =
  (query: string) =>
  ({ bucket }: Place): Sent => ({ method: 'DELETE', target: `/${bucket}${query}` });
const upload = ({ bucket, uploadId }: Place, more = ''): string => `/${bucket}/big?${more}uploadId=${uploadId}`;

/** Settings that were never made: only the owner may be told so. */
function unsetCases(): Readonly<Partial<Record<OperationName, Case>>> {
  const names = Object.keys(UNSET_CONFIGURATIONS) as OperationName[];
  return Object.fromEntries(
    names.map((name) => {
      const { method, match } = operationRow(name);
      const query = `${match.subresource ?? ''}${match.query === undefined ? '' : `&${match.query}=1`}`;
      return [
        name,
        {
          needs: 'owner',
          otherwise: /^404 /,
          request: ({ bucket }: Place): Sent => ({ method, target: `/${bucket}?${query}` }),
        },
      ];
    }),
  );
}

/** The buckets here have no object lock, which is said after the permission. */
const NO_LOCK = /^400 InvalidRequest$/;
/** Classes are labels there. */
const NO_TIERS = /^501 NotImplemented$/;

/** Documents that are none: what is said of them shows that the caller was let in. */
const REFUSED_DOCUMENT = /^(?:400|409|501) /;

/** Settings of buckets, by their sub-resource: only the owner may make and read them. */
const SETTINGS: Readonly<Partial<Record<OperationName, Case>>> = Object.fromEntries(
  (
    [
      'PutBucketLogging',
      'PutBucketNotificationConfiguration',
      'PutBucketRequestPayment',
      'PutBucketAccelerateConfiguration',
      'GetBucketAccelerateConfiguration',
      'PutBucketAbac',
      'ListBucketAnalyticsConfigurations',
      'PutBucketAnalyticsConfiguration',
      'ListBucketMetricsConfigurations',
      'PutBucketMetricsConfiguration',
      'ListBucketInventoryConfigurations',
      'GetBucketInventoryConfiguration',
      'PutBucketInventoryConfiguration',
      'DeleteBucketInventoryConfiguration',
      'ListBucketIntelligentTieringConfigurations',
      'PutBucketIntelligentTieringConfiguration',
      'GetBucketCors',
      'PutBucketCors',
      'DeleteBucketCors',
      'GetBucketLifecycleConfiguration',
      'PutBucketLifecycleConfiguration',
      'DeleteBucketLifecycle',
      'GetBucketEncryption',
      'PutBucketEncryption',
      'DeleteBucketEncryption',
      'PutBucketReplication',
    ] as const satisfies readonly OperationName[]
  ).map((name): [OperationName, Case] => {
    const {
      method,
      match: { subresource = '' },
    } = operationRow(name);
    const query = `?${subresource}${/^Put.*(?:Analytics|Metrics|IntelligentTiering)|BucketInventoryConfiguration$/.test(name) ? '&id=1' : ''}`;
    return [
      name,
      {
        needs: 'owner',
        otherwise: method === 'PUT' ? REFUSED_DOCUMENT : /^404 /,
        request: ({ bucket }) => ({
          method,
          target: `/${bucket}${query}`,
          ...(method === 'PUT' && { body: '<None/>' }),
        }),
      },
    ];
  }),
);

const tagsOf = ({ bucket }: Place): string => `/v20180820/tags/${encodeURIComponent(`arn:aws:s3:::${bucket}`)}`;
const ACCOUNT_ID = { 'x-amz-account-id': '444444444444' };
const CONTROL_TAGS = '<TagResourceRequest><Tags><Tag><Key>k</Key><Value>v</Value></Tag></Tags></TagResourceRequest>';

/** A request for each operation that is built. */
export const CASES: Readonly<Partial<Record<OperationName, Case>>> = {
  ...unsetCases(),
  ...SETTINGS,
  ListTagsForResource: {
    needs: 'owner',
    request: (place) => ({ method: 'GET', target: tagsOf(place), headers: ACCOUNT_ID }),
  },
  TagResource: {
    needs: 'owner',
    request: (place) => ({ method: 'POST', target: tagsOf(place), body: CONTROL_TAGS, headers: ACCOUNT_ID }),
  },
  UntagResource: {
    needs: 'owner',
    request: (place) => ({ method: 'DELETE', target: `${tagsOf(place)}?tagKeys=k`, headers: ACCOUNT_ID }),
  },
  OptionsBucket: {
    needs: 'nobody',
    otherwise: /^400 BadRequest$/,
    request: ({ bucket }) => ({ method: 'OPTIONS', target: `/${bucket}` }),
  },
  OptionsObject: {
    needs: 'nobody',
    otherwise: /^400 BadRequest$/,
    request: (place) => ({ method: 'OPTIONS', target: key()(place) }),
  },
  GetBucketWebsite: { needs: 'owner', otherwise: /^404 NoSuchWebsiteConfiguration$/, request: bucketGet('?website') },
  PutBucketWebsite: {
    needs: 'owner',
    request: bucketPut(
      '?website',
      '<WebsiteConfiguration><IndexDocument><Suffix>i</Suffix></IndexDocument></WebsiteConfiguration>',
    ),
  },
  DeleteBucketWebsite: { needs: 'owner', request: bucketDelete('?website') },
  GetBucketCors: { needs: 'owner', otherwise: /^404 NoSuchCORSConfiguration$/, request: bucketGet('?cors') },
  PutBucketCors: { needs: 'owner', request: bucketPut('?cors', CORS) },
  DeleteBucketCors: { needs: 'owner', request: bucketDelete('?cors') },
  GetBucketLifecycleConfiguration: {
    needs: 'owner',
    otherwise: /^404 NoSuchLifecycleConfiguration$/,
    request: bucketGet('?lifecycle'),
  },
  PutBucketLifecycleConfiguration: {
    needs: 'owner',
    request: (place) => ({
      ...bucketPut('?lifecycle', LIFECYCLE)(place),
      headers: { 'content-md5': contentMd5(LIFECYCLE) },
    }),
  },
  DeleteBucketLifecycle: { needs: 'owner', request: bucketDelete('?lifecycle') },
  GetBucketLogging: { needs: 'owner', request: bucketGet('?logging') },
  GetBucketNotificationConfiguration: { needs: 'owner', request: bucketGet('?notification') },
  PostObject: {
    needs: 'bucketWrite',
    request: ({ bucket }) => ({
      method: 'POST',
      target: `/${bucket}`,
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: formBody({ fields: [['key', 'object']], file: 'new' }).toString(),
    }),
  },
  ListBuckets: { needs: 'account', request: () => ({ method: 'GET', target: '/' }) },
  CreateBucket: {
    needs: 'account',
    otherwise: /^409 BucketAlreadyExists$/,
    request: ({ bucket }) => ({ method: 'PUT', target: `/${bucket}` }),
  },
  HeadBucket: { needs: 'bucketRead', request: ({ bucket }) => ({ method: 'HEAD', target: `/${bucket}` }) },
  DeleteBucket: {
    needs: 'owner',
    otherwise: /^409 BucketNotEmpty$/,
    request: ({ bucket }) => ({ method: 'DELETE', target: `/${bucket}` }),
  },
  GetBucketLocation: { needs: 'owner', request: bucketGet('?location') },
  GetBucketAcl: { needs: 'owner', request: bucketGet('?acl') },
  PutBucketAcl: {
    needs: 'owner',
    request: ({ bucket }) => ({ method: 'PUT', target: `/${bucket}?acl`, headers: { 'x-amz-acl': 'private' } }),
  },
  GetBucketPolicy: { needs: 'owner', otherwise: /^404 NoSuchBucketPolicy$/, request: bucketGet('?policy') },
  GetBucketPolicyStatus: { needs: 'owner', otherwise: /^404 NoSuchBucketPolicy$/, request: bucketGet('?policyStatus') },
  PutBucketPolicy: { needs: 'owner', otherwise: /^400 MalformedPolicy$/, request: bucketPut('?policy', '{}') },
  DeleteBucketPolicy: { needs: 'owner', request: bucketDelete('?policy') },
  GetBucketAbac: { needs: 'owner', request: bucketGet('?abac') },
  GetBucketTagging: { needs: 'owner', otherwise: /^404 NoSuchTagSet$/, request: bucketGet('?tagging') },
  PutBucketTagging: {
    needs: 'owner',
    request: ({ bucket }) => ({ method: 'PUT', target: `/${bucket}?tagging`, body: TAGGING }),
  },
  DeleteBucketTagging: {
    needs: 'owner',
    request: ({ bucket }) => ({ method: 'DELETE', target: `/${bucket}?tagging` }),
  },
  GetBucketVersioning: { needs: 'owner', request: bucketGet('?versioning') },
  PutBucketVersioning: { needs: 'owner', request: bucketPut('?versioning', VERSIONING) },
  GetObjectLockConfiguration: {
    needs: 'owner',
    otherwise: /^404 ObjectLockConfigurationNotFoundError$/,
    request: bucketGet('?object-lock'),
  },
  PutObjectLockConfiguration: {
    needs: 'owner',
    otherwise: /^409 InvalidBucketState$/,
    request: bucketPut('?object-lock', OBJECT_LOCK),
  },
  GetBucketOwnershipControls: {
    needs: 'owner',
    otherwise: /^404 OwnershipControlsNotFoundError$/,
    request: bucketGet('?ownershipControls'),
  },
  PutBucketOwnershipControls: { needs: 'owner', request: bucketPut('?ownershipControls', OWNERSHIP) },
  DeleteBucketOwnershipControls: { needs: 'owner', request: bucketDelete('?ownershipControls') },
  GetPublicAccessBlock: {
    needs: 'owner',
    otherwise: /^404 NoSuchPublicAccessBlockConfiguration$/,
    request: bucketGet('?publicAccessBlock'),
  },
  PutPublicAccessBlock: { needs: 'owner', request: bucketPut('?publicAccessBlock', ACCESS_BLOCK) },
  DeletePublicAccessBlock: { needs: 'owner', request: bucketDelete('?publicAccessBlock') },
  ListObjects: { needs: 'bucketRead', request: bucketGet('') },
  ListObjectsV2: { needs: 'bucketRead', request: bucketGet('?list-type=2') },
  ListObjectVersions: { needs: 'bucketRead', request: bucketGet('?versions') },
  ListMultipartUploads: { needs: 'bucketRead', request: bucketGet('?uploads') },
  PutObject: { needs: 'bucketWrite', request: (place) => ({ method: 'PUT', target: key()(place), body: 'new' }) },
  GetObject: { needs: 'objectRead', request: (place) => ({ method: 'GET', target: key()(place) }) },
  HeadObject: { needs: 'objectRead', request: (place) => ({ method: 'HEAD', target: key()(place) }) },
  GetObjectAttributes: {
    needs: 'objectRead',
    request: (place) => ({
      method: 'GET',
      target: key('?attributes')(place),
      headers: { 'x-amz-object-attributes': 'ETag' },
    }),
  },
  GetObjectAcl: { needs: 'owner', request: (place) => ({ method: 'GET', target: key('?acl')(place) }) },
  PutObjectAcl: {
    needs: 'owner',
    request: (place) => ({ method: 'PUT', target: key('?acl')(place), headers: { 'x-amz-acl': 'private' } }),
  },
  GetObjectTagging: { needs: 'owner', request: (place) => ({ method: 'GET', target: key('?tagging')(place) }) },
  PutObjectTagging: {
    needs: 'owner',
    request: (place) => ({ method: 'PUT', target: key('?tagging')(place), body: TAGGING }),
  },
  DeleteObjectTagging: { needs: 'owner', request: (place) => ({ method: 'DELETE', target: key('?tagging')(place) }) },
  RestoreObject: {
    needs: 'owner',
    otherwise: NO_TIERS,
    request: (place) => ({
      method: 'POST',
      target: key('?restore')(place),
      body: '<RestoreRequest><Days>1</Days></RestoreRequest>',
    }),
  },
  GetObjectRetention: {
    needs: 'owner',
    otherwise: NO_LOCK,
    request: (place) => ({ method: 'GET', target: key('?retention')(place) }),
  },
  PutObjectRetention: {
    needs: 'owner',
    otherwise: NO_LOCK,
    request: (place) => ({ method: 'PUT', target: key('?retention')(place), body: RETENTION }),
  },
  GetObjectLegalHold: {
    needs: 'owner',
    otherwise: NO_LOCK,
    request: (place) => ({ method: 'GET', target: key('?legal-hold')(place) }),
  },
  PutObjectLegalHold: {
    needs: 'owner',
    otherwise: NO_LOCK,
    request: (place) => ({ method: 'PUT', target: key('?legal-hold')(place), body: LEGAL_HOLD }),
  },
  DeleteObject: { needs: 'bucketWrite', request: (place) => ({ method: 'DELETE', target: key()(place) }) },
  DeleteObjects: {
    needs: 'bucketWrite',
    request: ({ bucket }) => ({
      method: 'POST',
      target: `/${bucket}?delete`,
      headers: { 'content-md5': contentMd5(DELETE) },
      body: DELETE,
    }),
  },
  CopyObject: {
    needs: 'copy',
    request: ({ bucket }) => ({
      method: 'PUT',
      target: `/${bucket}/copy`,
      headers: { 'x-amz-copy-source': `/${bucket}/object` },
    }),
  },
  CreateMultipartUpload: {
    needs: 'bucketWrite',
    request: ({ bucket }) => ({ method: 'POST', target: `/${bucket}/big?uploads` }),
  },
  UploadPart: {
    needs: 'owner',
    request: (place) => ({ method: 'PUT', target: upload(place, 'partNumber=1&'), body: 'part' }),
  },
  UploadPartCopy: {
    needs: 'owner',
    request: (place) => ({
      method: 'PUT',
      target: upload(place, 'partNumber=1&'),
      headers: { 'x-amz-copy-source': `/${place.bucket}/object` },
    }),
  },
  ListParts: { needs: 'owner', request: (place) => ({ method: 'GET', target: upload(place) }) },
  CompleteMultipartUpload: {
    needs: 'owner',
    request: (place) => ({
      method: 'POST',
      target: upload(place),
      body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${place.etag}</ETag></Part></CompleteMultipartUpload>`,
    }),
  },
  AbortMultipartUpload: { needs: 'owner', request: (place) => ({ method: 'DELETE', target: upload(place) }) },
};
