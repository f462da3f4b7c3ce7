import { expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { presignedHead, signedHead } from '../../support/clients/sign-raw.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

/*
 * Presigners that hoist all headers put conditions into the query. S3 was recorded to answer 412 to such a PUT of a key
 * that exists; for DELETE and GET the same rule is taken.
 */
const shared = sharedGateway();

async function ask(method: string, target: string, sign = presignedHead): Promise<string> {
  const body = method === 'PUT' ? { headers: { 'content-length': '0' } } : {};
  return outcome(await roundTrip(shared.gateway.port, sign({ method, target, ...body }), method));
}

test('conditions in the query of a presigned URL hold', async () => {
  expect(await ask('PUT', '/presigned-conditions', signedHead)).toBe('200');
  const key = '/presigned-conditions/key';
  expect(await ask('PUT', `${key}?if-none-match=%2A`)).toBe('200');
  expect(await ask('PUT', `${key}?if-none-match=%2A`)).toBe('412 PreconditionFailed');
  expect(await ask('PUT', `${key}?If-Match=%22other%22`)).toBe('412 PreconditionFailed');
  expect(await ask('DELETE', `${key}?if-match=%22other%22`)).toBe('412 PreconditionFailed');
  expect(await ask('GET', `${key}?if-match=%22other%22`)).toBe('412 PreconditionFailed');
  expect(await ask('GET', key)).toBe('200');
});

test('so does one of CompleteMultipartUpload', async () => {
  expect(await ask('PUT', '/presigned-complete', signedHead)).toBe('200');
  const key = '/presigned-complete/key';
  const begun = await roundTrip(shared.gateway.port, signedHead({ method: 'POST', target: `${key}?uploads=` }), 'POST');
  const uploadId = /<UploadId>([^<]+)</.exec(begun.body)?.[1] ?? '';
  const part = await roundTrip(
    shared.gateway.port,
    signedHead({
      method: 'PUT',
      target: `${key}?partNumber=1&uploadId=${uploadId}`,
      headers: { 'content-length': '4' },
    }) + 'part',
    'PUT',
  );
  const etag = part.headers['etag'] ?? '';
  expect(await ask('PUT', key)).toBe('200');
  const parts = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
  const target = `${key}?if-none-match=%2A&uploadId=${uploadId}`;
  const head = presignedHead({ method: 'POST', target, headers: { 'content-length': String(parts.length) } });
  expect(outcome(await roundTrip(shared.gateway.port, head + parts, 'POST'))).toBe('412 PreconditionFailed');
});
