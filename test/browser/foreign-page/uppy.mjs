import AwsS3 from '@uppy/aws-s3';
import Uppy from '@uppy/core';

const PART_BYTES = 5 * 1024 * 1024;

/**
 * Uploads text of so many bytes in parts, as a page does with Uppy.
 * With `credentials` Uppy signs itself; else `signRequest`, which the test has put into the page, is asked for URLs.
 */
export async function uploadByUppy({ key, bytes, endpoint, region, credentials }) {
  const uppy = new Uppy();
  uppy.use(AwsS3, {
    shouldUseMultipart: true,
    getChunkSize: () => PART_BYTES,
    generateObjectKey: () => key,
    ...(credentials === undefined
      ? { signRequest: (request) => globalThis.signRequest(endpoint, request) }
      : { s3Endpoint: endpoint, region, getCredentials: () => ({ credentials, region }) }),
  });
  uppy.addFile({ name: key, type: 'text/plain', data: new Blob(['x'.repeat(bytes)], { type: 'text/plain' }) });
  const { successful, failed } = await uppy.upload();
  uppy.destroy();
  return failed.length > 0 ? `failed: ${failed[0].error}` : `uploaded ${successful[0].response.body.key}`;
}
