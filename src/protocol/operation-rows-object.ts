import { BYPASS, COPYING, LOCK_SHOWN, MAKING, SOURCE, on, type OperationDeclaration } from './operation-row.ts';

const UPLOAD_PART = { subresource: 'uploadId', query: 'partNumber' } as const;
const COPY_HEADER = 'x-amz-copy-source';
const NEVER = 'This operation is not offered by this service.';

/** Operations on one key. Order inside a sub-resource is the order of the `Allow` header. */
export const OBJECT_ROWS = [
  { name: 'HeadObject', level: 'object', method: 'HEAD', permission: 's3:GetObject', versionPermission: 's3:GetObjectVersion', adds: LOCK_SHOWN },
  { name: 'DeleteObject', level: 'object', method: 'DELETE', permission: 's3:DeleteObject', versionPermission: 's3:DeleteObjectVersion', adds: BYPASS },
  { name: 'GetObject', level: 'object', method: 'GET', permission: 's3:GetObject', versionPermission: 's3:GetObjectVersion', adds: LOCK_SHOWN },
  { name: 'CopyObject', level: 'object', method: 'PUT', match: { header: COPY_HEADER }, permission: 's3:PutObject', adds: COPYING, anonymous: false },
  { name: 'PutObject', level: 'object', method: 'PUT', body: 'object', permission: 's3:PutObject', adds: MAKING },
  { name: 'OptionsObject', level: 'object', method: 'OPTIONS', permission: 's3:GetBucketCORS' },

  { name: 'CreateMultipartUpload', level: 'object', method: 'POST', match: on('uploads'), permission: 's3:PutObject', adds: MAKING, anonymous: false },
  { name: 'AbortMultipartUpload', level: 'object', method: 'DELETE', match: on('uploadId'), permission: 's3:AbortMultipartUpload' },
  { name: 'CompleteMultipartUpload', level: 'object', method: 'POST', match: on('uploadId'), body: 'xml', permission: 's3:PutObject' },
  { name: 'ListParts', level: 'object', method: 'GET', match: on('uploadId'), permission: 's3:ListMultipartUploadParts' },
  {
    name: 'UploadPartCopy', level: 'object', method: 'PUT', match: { ...UPLOAD_PART, header: COPY_HEADER },
    permission: 's3:PutObject', adds: SOURCE, anonymous: false,
  },
  { name: 'UploadPart', level: 'object', method: 'PUT', match: UPLOAD_PART, body: 'object', permission: 's3:PutObject' },

  { name: 'GetObjectAcl', level: 'object', method: 'GET', match: on('acl'), permission: 's3:GetObjectAcl', versionPermission: 's3:GetObjectVersionAcl' },
  {
    name: 'PutObjectAcl', level: 'object', method: 'PUT', match: on('acl'), body: 'xml',
    permission: 's3:PutObjectAcl', versionPermission: 's3:PutObjectVersionAcl', anonymous: false,
  },
  {
    name: 'GetObjectTagging', level: 'object', method: 'GET', match: on('tagging'),
    permission: 's3:GetObjectTagging', versionPermission: 's3:GetObjectVersionTagging',
  },
  {
    name: 'PutObjectTagging', level: 'object', method: 'PUT', match: on('tagging'), body: 'xml',
    permission: 's3:PutObjectTagging', versionPermission: 's3:PutObjectVersionTagging',
  },
  {
    name: 'DeleteObjectTagging', level: 'object', method: 'DELETE', match: on('tagging'),
    permission: 's3:DeleteObjectTagging', versionPermission: 's3:DeleteObjectVersionTagging',
  },
  {
    name: 'GetObjectAttributes', level: 'object', method: 'GET', match: on('attributes'),
    permission: 's3:GetObjectAttributes', versionPermission: 's3:GetObjectVersionAttributes',
    adds: [{ action: 's3:GetObject', when: 'always' }, { action: 's3:GetObjectVersion', when: 'instead, with `versionId`' }],
  },
  { name: 'GetObjectRetention', level: 'object', method: 'GET', match: on('retention'), permission: 's3:GetObjectRetention' },
  { name: 'PutObjectRetention', level: 'object', method: 'PUT', match: on('retention'), body: 'xml', permission: 's3:PutObjectRetention', adds: BYPASS },
  { name: 'GetObjectLegalHold', level: 'object', method: 'GET', match: on('legal-hold'), permission: 's3:GetObjectLegalHold' },
  { name: 'PutObjectLegalHold', level: 'object', method: 'PUT', match: on('legal-hold'), body: 'xml', permission: 's3:PutObjectLegalHold' },

  { name: 'RestoreObject', level: 'object', method: 'POST', match: on('restore'), body: 'xml', permission: 's3:RestoreObject', hint: NEVER },
  { name: 'SelectObjectContent', level: 'object', method: 'POST', match: on('select'), body: 'xml', permission: 's3:GetObject', hint: NEVER },
  { name: 'GetObjectTorrent', level: 'object', method: 'GET', match: on('torrent'), permission: 's3:GetObjectTorrent', hint: NEVER },
  { name: 'RenameObject', level: 'object', method: 'PUT', match: on('renameObject'), permission: 's3:PutObject', anonymous: false, hint: NEVER },
  { name: 'UpdateObjectEncryption', level: 'object', method: 'PUT', match: on('encryption'), body: 'xml', permission: 's3:UpdateObjectEncryption', hint: NEVER },
  { name: 'GetObjectAnnotation', level: 'object', method: 'GET', match: on('annotation'), permission: 's3:GetObjectAnnotation', hint: NEVER },
  { name: 'PutObjectAnnotation', level: 'object', method: 'PUT', match: on('annotation'), permission: 's3:PutObjectAnnotation', hint: NEVER },
  { name: 'DeleteObjectAnnotation', level: 'object', method: 'DELETE', match: on('annotation'), permission: 's3:DeleteObjectAnnotation', hint: NEVER },
] as const satisfies readonly OperationDeclaration[];
