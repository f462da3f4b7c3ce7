import type { AskedRequest } from '../../access/request-keys.ts';
import { idOf } from '../../access/acl/permits.ts';
import { S3Error, invalidArgument } from '../../errors/s3-error.ts';
import { checkKeyLength } from '../../protocol/address.ts';
import type { FileSize } from '../../protocol/body/object-body.ts';
import { type FormFields, askedHeaders, formHeaders, withFilename } from '../../protocol/form/form-fields.ts';
import { allowedSize, checkPostPolicy, parsePostPolicy } from '../../protocol/form/post-policy.ts';
import { MAX_FORM_DATA } from '../../protocol/form/form-reader.ts';
import { redirectAfterPost } from '../../protocol/form/success-redirect.ts';
import type { S3Request, UploadForm } from '../../protocol/request.ts';
import type { S3Response } from '../../protocol/response.ts';
import { MAX_TAGGING_BYTES, formatTaggingHeader, parseFormTagging } from '../../protocol/tagging.ts';
import { xml } from '../../protocol/xml/document.ts';
import { POST_RESPONSE } from '../../protocol/xml/object-shapes.ts';
import { bucketName } from '../named-bucket.ts';
import { locationOf } from '../answer-values.ts';
import type { OperationWithoutBucket, RequestContext } from '../operation.ts';
import { inBucket } from '../perform.ts';
import { MAX_OBJECT_SIZE, storeObject } from './put-object.ts';

/**
 * Stores the file of an HTML form. The fields are translated into the headers of PutObject, so that all its rules hold
 * here. https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html
 */
export const postObject: OperationWithoutBucket = async (request, context) => {
  const form = await request.body.openForm();
  try {
    return await storeForm(form, request, context);
  } catch (error) {
    form.abandon(error instanceof Error ? error : new Error('the form was refused', { cause: error }));
    throw error;
  }
};

async function storeForm(form: UploadForm, request: S3Request, context: RequestContext): Promise<S3Response> {
  const fields = withFilename(form.fields, form.filename, MAX_FORM_DATA);
  const bucket = bucketName(request);
  const principal = context.authenticateForm(fields);
  const key = keyOf(fields);
  const allowed = allowedBy(fields, bucket);
  const headers = formHeaders(fields, taggingOf(fields), request.headers);
  const authMethod = fields.get('policy') === undefined ? request.authMethod : 'form';
  const asPut: S3Request = { ...request, address: { ...request.address, key }, headers, authMethod };
  const asked: AskedRequest = {
    ...context.asked,
    key,
    headers: askedHeaders(fields, headers, request.headers),
    authMethod,
  };
  const holder = principal.kind === 'anonymous' ? 'anonymous' : idOf(principal);
  const stored = await storeObject(
    asPut,
    { open: (options) => form.open({ ...options, allowed, headers, holder }) },
    await inBucket(asPut, { ...context, principal, asked }),
  );
  return answer({ request, fields, bucket, key }, stored);
}

/** @throws S3Error InvalidArgument, KeyTooLongError */
function keyOf(fields: FormFields): string {
  const key = fields.get('key');
  if (key === undefined) {
    throw invalidArgument(
      'key',
      '',
      "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.",
    );
  }
  if (key === '') throw invalidArgument('key', '', 'User key must have a length greater than 0.');
  checkKeyLength(key);
  return key;
}

/**
 * Checks the form against its policy. @returns the sizes that the policy allows for the file @throws S3Error
 * InvalidPolicyDocument, AccessDenied
 */
function allowedBy(fields: FormFields, bucket: string): FileSize {
  const text = fields.get('policy');
  if (text === undefined) return allowedSize([], MAX_OBJECT_SIZE);
  const policy = parsePostPolicy(text);
  checkPostPolicy(policy, fields.inBucket(bucket), Date.now());
  return allowedSize(policy.ranges, MAX_OBJECT_SIZE);
}

/** @throws S3Error MalformedXML, InvalidTag */
function taggingOf(fields: FormFields): string | undefined {
  const document = fields.get('tagging');
  if (document === undefined) return undefined;
  const bytes = Buffer.from(document);
  if (bytes.length > MAX_TAGGING_BYTES) throw new S3Error('MalformedXML');
  return formatTaggingHeader(parseFormTagging(bytes));
}

interface Posted {
  readonly request: S3Request;
  readonly fields: FormFields;
  readonly bucket: string;
  readonly key: string;
}

function answer({ request, fields, bucket, key }: Posted, stored: S3Response): S3Response {
  const etag = stored.headers?.['etag'] ?? '';
  const redirect = redirectAfterPost(fields.get('success_action_redirect') ?? fields.get('redirect'), {
    bucket,
    key,
    etag,
  });
  if (redirect !== undefined) return { status: 303, headers: { ...stored.headers, location: redirect } };
  const location = locationOf(request, key);
  const headers = { ...stored.headers, location };
  const status = fields.get('success_action_status');
  if (status === '201') {
    return {
      status: 201,
      headers,
      body: xml(POST_RESPONSE, { Location: location, Bucket: bucket, Key: key, ETag: etag }),
    };
  }
  return { status: status === '200' ? 200 : 204, headers };
}
