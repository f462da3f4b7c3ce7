import { ACL_HEADERS } from '../../protocol/acl/grant-headers.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);
const s3 = (text: string): ReadonlySet<string> => new Set(words(text).map((name) => `s3:${name}`));

const LISTING = s3('ListBucket ListBucketVersions');
const WRITING = s3('PutObject BypassGovernanceRetention');
const ENCRYPTING = s3('PutObject BypassGovernanceRetention ReplicateObject UpdateObjectEncryption');
const GRANTING = s3('BypassGovernanceRetention CreateBucket PutBucketAcl PutObject PutObjectAcl PutObjectVersionAcl');
const RETAINING = s3('PutObject PutObjectRetention');
const EXISTING_TAG = s3(`
  DeleteObjectAnnotation DeleteObjectTagging DeleteObjectVersionAnnotation DeleteObjectVersionTagging GetObject GetObjectAcl
  GetObjectAnnotation GetObjectAttributes GetObjectTagging GetObjectVersion GetObjectVersionAcl GetObjectVersionAnnotation
  GetObjectVersionAttributes GetObjectVersionTagging ListObjectAnnotations ListObjectVersionAnnotations PutObjectAcl
  PutObjectAnnotation PutObjectTagging PutObjectVersionAcl PutObjectVersionAnnotation PutObjectVersionTagging
  UpdateObjectEncryption
`);
const REQUEST_TAG = s3('BypassGovernanceRetention PutObject PutObjectTagging PutObjectVersionTagging');
const VERSION = s3(`
  DeleteObjectVersion DeleteObjectVersionAnnotation DeleteObjectVersionTagging GetObjectVersion GetObjectVersionAcl
  GetObjectVersionAnnotation GetObjectVersionAttributes GetObjectVersionTagging GetObjectVersionTorrent
  ListObjectVersionAnnotations PutObjectVersionAcl PutObjectVersionAnnotation PutObjectVersionTagging
`);
const ANY = 'any';
type KeyActions = ReadonlySet<string> | typeof ANY;

/**
 * The keys of S3 and the actions whose requests can have them, by name in lower case, a tag's without its key.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html#amazons3-policy-keys
 */
const S3_KEYS: ReadonlyMap<string, KeyActions> = new Map(
  (
    [
      ...words(`
    authType signatureAge signatureversion TlsVersion ResourceAccount x-amz-content-sha256 AccessGrantsInstanceArn
    AccessPointNetworkOrigin DataAccessPointAccount DataAccessPointArn AccessPointTag/ BucketTag/
  `).map((name): [string, KeyActions] => [name, ANY]),
      ['prefix', LISTING],
      ['delimiter', LISTING],
      ['max-keys', LISTING],
      ['versionid', VERSION],
      ...ACL_HEADERS.map((name): [string, KeyActions] => [name, GRANTING]),
      ['x-amz-copy-source', WRITING],
      ['x-amz-metadata-directive', WRITING],
      ['x-amz-website-redirect-location', WRITING],
      ['x-amz-storage-class', s3('BypassGovernanceRetention PutObject PutObjectAcl PutObjectVersionAcl')],
      ['x-amz-server-side-encryption', ENCRYPTING],
      ['x-amz-server-side-encryption-aws-kms-key-id', ENCRYPTING],
      ['x-amz-server-side-encryption-customer-algorithm', ENCRYPTING],
      ['existingobjecttag/', EXISTING_TAG],
      ['requestobjecttag/', REQUEST_TAG],
      ['requestobjecttagkeys', REQUEST_TAG],
      ['object-lock-mode', RETAINING],
      ['object-lock-retain-until-date', RETAINING],
      ['object-lock-remaining-retention-days', RETAINING],
      ['object-lock-legal-hold', s3('PutObject PutObjectLegalHold')],
      ['if-match', s3('PutObject DeleteObject')],
      ['if-none-match', s3('PutObject')],
      ['objectcreationoperation', s3('PutObject')],
      ['x-amz-object-ownership', s3('CreateBucket')],
      ['locationconstraint', s3('CreateBucket CreateAccessPoint')],
      ['inventoryaccessibleoptionalfields', s3('PutInventoryConfiguration')],
      ['isreplicationpauserequest', s3('PutReplicationConfiguration')],
      ['destinationregion', s3('PauseReplication')],
    ] satisfies [string, KeyActions][]
  ).map(([name, actions]) => [`s3:${name.toLowerCase()}`, actions]),
);

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html */
const GLOBAL_KEYS: ReadonlySet<string> = new Set(
  words(`
  PrincipalArn PrincipalAccount PrincipalOrgPaths PrincipalOrgID PrincipalTag/ PrincipalIsAWSService PrincipalServiceName
  PrincipalServiceNamesList PrincipalType userid username FederatedProvider TokenIssueTime MultiFactorAuthAge
  MultiFactorAuthPresent AssumedRoot ChatbotSourceArn Ec2InstanceSourceVpc Ec2InstanceSourcePrivateIPv4 SourceIdentity
  SourceIp SourceVpc SourceVpce SourceVpcArn VpceAccount VpceOrgID VpceOrgPaths VpcSourceIp ResourceAccount ResourceOrgID
  ResourceOrgPaths ResourceTag/ CalledVia CalledViaFirst CalledViaLast ViaAWSService CalledViaAWSMCP CurrentTime EpochTime
  referer RequestedRegion RequestTag/ TagKeys SecureTransport SourceArn SourceAccount SourceOrgID SourceOrgPaths UserAgent
  IsMcpServiceAction
`).map((name) => `aws:${name.toLowerCase()}`),
);

/** The name under which a key is known: that of a tag without its key. */
function known(key: string): string {
  const slash = key.indexOf('/');
  return (slash < 0 ? key : key.slice(0, slash + 1)).toLowerCase();
}

/** Whether a bucket's policy may have this key. */
export function isBucketKey(key: string): boolean {
  const name = known(key);
  return (S3_KEYS.has(name) && (!name.endsWith('/') || key.length > name.length)) || GLOBAL_KEYS.has(name);
}

/**
 * The actions whose requests can have a key; undefined: all of them, or nobody knows of such a key. @param key as it is
 * looked up
 */
export function actionsWith(key: string): ReadonlySet<string> | undefined {
  const slash = key.indexOf('/');
  const actions = S3_KEYS.get(slash < 0 ? key : key.slice(0, slash + 1)) ?? ANY;
  return actions === ANY ? undefined : actions;
}
