import { expect, test } from 'vitest';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import { RawConnection, roundTrip } from '../../support/clients/raw-http.ts';
import { signedHead } from '../../support/clients/sign-raw.ts';

/*
 * The versioning of a bucket changes while the body of an upload comes in. What is held was not written yet and is
 * stored as the bucket is then; what is on its way to the backend is refused, and may be sent again.
 */
const MIB = 1024 * 1024;
const shared = sharedGateway();

const send = (method: string, target: string, body = '') =>
  roundTrip(
    shared.gateway.port,
    signedHead({ method, target, headers: { 'content-length': String(body.length) } }) + body,
    method,
  );

async function setVersioning(bucket: string, status: string): Promise<void> {
  const document = `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;
  expect((await send('PUT', `/${bucket}?versioning`, document)).status).toBe(200);
}

/** An upload of which half is sent before versioning is enabled. */
async function uploadAcross(bucket: string, size: number) {
  await send('PUT', `/${bucket}`);
  const connection = await RawConnection.open(shared.gateway.port);
  const head = signedHead({
    method: 'PUT',
    target: `/${bucket}/key`,
    headers: { 'content-length': String(size), 'x-amz-meta-a': 'kept' },
  });
  connection.send(head + 'x'.repeat(size / 2));
  await setVersioning(bucket, 'Enabled');
  connection.send('x'.repeat(size / 2));
  const answer = await connection.answer();
  connection.close();
  return answer;
}

test('a body that is held is stored in the bucket as it is by then', async () => {
  const answer = await uploadAcross('held', 4);
  expect(answer.status).toBe(200);
  const version = answer.headers['x-amz-version-id'] ?? '';
  expect(version).not.toBe('');
  const read = await send('GET', `/held/key?versionId=${version}`);
  expect([read.status, read.body, read.headers['x-amz-meta-a']]).toEqual([200, 'xxxx', 'kept']);
});

test('one that is on its way to the backend is refused, and nothing is stored', async () => {
  expect((await uploadAcross('streamed', 4 * MIB)).status).toBe(503);
  expect((await send('GET', '/streamed/key')).status).toBe(404);
});
