/** What may stand in requests of the fuzzer: right, nearly right, and wrong. */

export const KEYS = [
  'a', 'b', 'dir/c', 'dir/', '%20', 'a%2Fb', '..', '../a', './', '%2e%2e/%2e%2e', '/', '//', '%00', '%FF', '%', '%zz', '%C3%A9', '%F0%9F%98%80', 'a%0D%0Ab', '~s3~x', '%3F', '+', 'k'.repeat(1024),
  'k'.repeat(1025), '%E2%80%A8', '__proto__', 'constructor', 'secret-1', 'secret-2',
];
export const BUCKETS = ['fuzz-one', 'fuzz-two', 'guard-plain', 'guard-versioned', 'nobodys', 'system', 'UPPER', 'a', '..', '%2e%2e', 'fuzz.dots.here', 'a'.repeat(64), '__proto__', '-', 'fuzz-one%2Fa'];

export const VALUES = [
  '', '0', '1', '-1', '10001', '99999999999999999999', 'NaN', '1e3', '0x10', 'null', 'undefined', 'true', '*', '/', '%00', '%0A', '%FF', 'a b', '..', 'url', 'Enabled', '2', 'a'.repeat(2000), '&', '"', "'", '<', '%3Cx%3E',
  '%F0%9F%98%80', 'ffffffffffffffffffffffffffffffff', '00000000000000000000000000000000', 'AAAA', '{}', '[]', '-0', ' ',
];

export const HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['range', ['bytes=0-0', 'bytes=-1', 'bytes=5-', 'bytes=9-1', 'bytes=', 'bytes=0-0,2-3', 'items=1', 'bytes=99999999999999999999-']],
  ['if-match', ['*', '"x"', 'W/"x"', '']], ['if-none-match', ['*', '"x"', '']], ['if-modified-since', ['Sun, 06 Nov 1994 08:49:37 GMT', 'yesterday', '']],
  ['if-unmodified-since', ['Sun, 06 Nov 2094 08:49:37 GMT', '0']], ['content-type', ['text/plain', 'multipart/form-data; boundary=x', '', 'a'.repeat(300), 'x\u00ff']],
  ['content-md5', ['1B2M2Y8AsgTpgAmY7PhCfg==', 'x', '']], ['content-encoding', ['gzip', 'aws-chunked', 'aws-chunked,gzip', '']], ['cache-control', ['no-store', '\u00e9']],
  ['content-disposition', ['attachment; filename="a"', '\u00ff']], ['expires', ['0', 'Sun, 06 Nov 1994 08:49:37 GMT']], ['origin', ['http://example.com', 'null']],
  ['access-control-request-method', ['GET', 'X']], ['expect', ['100-continue', 'x']], ['traceparent', [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, 'x']],
  ['x-amz-acl', ['private', 'public-read', 'bucket-owner-full-control', 'x', '']], ['x-amz-grant-read', ['id="x"', `id="${'4'.repeat(64)}"`, 'uri="http://acs.amazonaws.com/groups/global/AllUsers"', 'x', ',,']],
  ['x-amz-meta-a', ['v', '', '\u00e9', '=?UTF-8?B?w6k=?=', 'x'.repeat(2000), 'x'.repeat(2100)]], ['x-amz-meta-__proto__', ['v']], ['x-amz-tagging', ['a=b', 'a=b&a=c', '=', '%', 'a', '&&', 'aws:x=1']],
  ['x-amz-storage-class', ['STANDARD', 'GLACIER', 'x', '']], ['x-amz-website-redirect-location', ['/x', 'x', 'http://x']],
  ['x-amz-copy-source', ['/fuzz-one/a', 'fuzz-two/b?versionId=null', '/guard-plain/secret-1', '/guard-versioned/secret-1?versionId=null', '/x', '', '%', '/fuzz-one/%2e%2e/a', '///', '/fuzz-one/a?versionId=']],
  ['x-amz-copy-source-range', ['bytes=0-0', 'bytes=9-1', 'x', 'bytes=0-99999999999']], ['x-amz-copy-source-if-match', ['"x"', '*']], ['x-amz-metadata-directive', ['COPY', 'REPLACE', 'x']],
  ['x-amz-tagging-directive', ['COPY', 'REPLACE', 'x']], ['x-amz-object-lock-mode', ['GOVERNANCE', 'COMPLIANCE', 'x']], ['x-amz-object-lock-retain-until-date', ['2020-01-01T00:00:00Z', '2100-01-01T00:00:00Z', 'x']],
  ['x-amz-object-lock-legal-hold', ['ON', 'OFF', 'x']], ['x-amz-bypass-governance-retention', ['true', 'x']], ['x-amz-expected-bucket-owner', ['444444444444', 'x']],
  ['x-amz-checksum-crc32', ['AAAAAA==', 'x']], ['x-amz-checksum-sha256', ['47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', 'x']], ['x-amz-checksum-algorithm', ['CRC32', 'x']], ['x-amz-checksum-type', ['COMPOSITE', 'x']],
  ['x-amz-sdk-checksum-algorithm', ['CRC32', 'SHA256', 'x']], ['x-amz-trailer', ['x-amz-checksum-crc32', 'x']], ['x-amz-decoded-content-length', ['0', '5', '-1', 'x']],
  ['x-amz-object-attributes', ['ETag', 'ETag,Checksum,ObjectParts,StorageClass,ObjectSize', 'x', ',']], ['x-amz-max-parts', ['0', '1', '-1', 'x']], ['x-amz-part-number-marker', ['0', 'x']],
  ['x-amz-mp-object-size', ['0', '5', 'x']], ['x-amz-request-payer', ['requester', 'x']], ['x-amz-bucket-object-lock-enabled', ['true', 'x']], ['x-amz-object-ownership', ['ObjectWriter', 'BucketOwnerEnforced', 'x']],
  ['x-amz-server-side-encryption', ['AES256', 'aws:kms', 'x']], ['x-amz-server-side-encryption-customer-algorithm', ['AES256', 'x']], ['x-amz-security-token', ['x']], ['x-amz-write-offset-bytes', ['0', 'x']],
  ['transfer-encoding', ['chunked', 'identity', 'gzip, chunked']], ['x-forwarded-for', ['127.0.0.1']], ['x-http-method-override', ['DELETE']],
];

export const PARAMETERS = [
  'prefix', 'delimiter', 'marker', 'max-keys', 'list-type', 'encoding-type', 'continuation-token', 'start-after', 'fetch-owner', 'key-marker', 'version-id-marker', 'upload-id-marker', 'max-uploads', 'max-parts',
  'part-number-marker', 'partNumber', 'uploadId', 'versionId', 'response-content-type', 'response-expires', 'response-content-disposition', 'x-id', 'max-buckets', 'x-amz-acl', 'x-amz-meta-a', 'X-Amz-Copy-Source', 'junk',
];

/** Documents; the fuzzer sends any of them to any operation, broken now and then. */
export const BODIES = [
  '', 'x', '<', '<a/>', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', '{}', 'a'.repeat(5000), '\u0000\u0001\u00ff',
  '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>', '<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>',
  '<Delete><Object><Key>a</Key></Object><Object><Key>b</Key><VersionId>null</VersionId></Object></Delete>', '<Delete><Quiet>true</Quiet><Object><Key></Key></Object></Delete>',
  '<Delete><Object><Key>secret-1</Key></Object></Delete>', '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"x"</ETag></Part></CompleteMultipartUpload>',
  '<CompleteMultipartUpload><Part><PartNumber>-1</PartNumber><ETag></ETag></Part></CompleteMultipartUpload>', '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>', '<Tagging><TagSet/></Tagging>',
  '<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate></Retention>', '<Retention/>', '<LegalHold><Status>ON</Status></LegalHold>',
  '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>',
  '<CreateBucketConfiguration><LocationConstraint>us-east-1</LocationConstraint></CreateBucketConfiguration>', '<OwnershipControls><Rule><ObjectOwnership>ObjectWriter</ObjectOwnership></Rule></OwnershipControls>',
  '<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls></PublicAccessBlockConfiguration>',
  `<AccessControlPolicy><Owner><ID>${'4'.repeat(64)}</ID></Owner><AccessControlList><Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>${'5'.repeat(64)}</ID></Grantee><Permission>READ</Permission></Grant></AccessControlList></AccessControlPolicy>`,
  '5;chunk-signature=0\r\nhello\r\n0;chunk-signature=0\r\n\r\n', '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n', '--x\r\nContent-Disposition: form-data; name="key"\r\n\r\na\r\n--x--\r\n',
];

export const PAYLOADS = [
  'UNSIGNED-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'x', '',
];
