import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/operations/index.ts';
import { parametersOf } from '../../../src/protocol/operation-parameters.ts';
import { OPERATION_TABLE, type OperationRow } from '../../../src/protocol/operation-table.ts';
import { outcome, send } from '../../support/clients/acl-client.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { presignedHead } from '../../support/clients/sign-raw.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await send(gateway.port, 'owner', { method: 'PUT', target: '/bucket' });
  await send(gateway.port, 'owner', { method: 'PUT', target: '/bucket/key', body: 'bytes' });
});
afterAll(() => gateway.close());

const READS = ['GetObject', 'GetObjectAttributes', 'HeadObject'];

function requestOf({ level, method, match }: OperationRow): {
  method: string;
  target: string;
  headers: Record<string, string>;
} {
  const path = {
    service: '/',
    bucket: '/bucket',
    object: '/bucket/key',
    control: '/v20180820/tags/arn%3Aaws%3As3%3A%3A%3Abucket',
  }[level];
  const query = [
    match.subresource,
    match.query === undefined ? undefined : `${match.query}=${match.value ?? '1'}`,
  ].filter((part) => part !== undefined);
  const headers = { ...(match.header !== undefined && { [match.header]: '/bucket/key' }) };
  return { method, target: query.length === 0 ? path : `${path}?${query.join('&')}`, headers };
}

// A form says them in its fields: `post-form/`.
const REFUSED = OPERATION_TABLE.filter(({ name }) => name !== 'PostObject').flatMap((row) =>
  parametersOf(row).refused.map((name) => [row.name, name, row] as const),
);

describe('a header that asks for what is not done is refused', () => {
  test.each(REFUSED)('%s with %s', async (_operation, name, row) => {
    const { method, target, headers } = requestOf(row);
    const answer = await send(gateway.port, 'owner', { method, target, headers: { ...headers, [name]: 'x' } });
    const expected = ['GetObject', 'GetObjectAttributes'].includes(row.name)
      ? '400 InvalidRequest'
      : row.name === 'HeadObject'
        ? '400'
        : '501 NotImplemented';
    expect(outcome(answer)).toBe(expected);
  });

  test.each(REFUSED.filter(([operation]) => !READS.includes(operation)))(
    '%s with %s in the query of a presigned URL',
    async (_operation, name, row) => {
      const { method, target, headers } = requestOf(row);
      const presigned = `${target}${target.includes('?') ? '&' : '?'}${name}=x`;
      const head = presignedHead({ method, target: presigned, headers: { ...headers, 'content-length': '0' } });
      expect(outcome(await roundTrip(gateway.port, head, method))).toBe('501 NotImplemented');
    },
  );

  test('and nothing has changed', async () => {
    expect((await send(gateway.port, 'owner', { method: 'GET', target: '/bucket/key' })).body).toBe('bytes');
  });

  test('a namespace of the account', async () => {
    const create = (value: string): Promise<string> =>
      send(gateway.port, 'owner', {
        method: 'PUT',
        target: '/bucket-named',
        headers: { 'x-amz-bucket-namespace': value },
      }).then(outcome);
    expect(await create('account-regional')).toBe('501 NotImplemented');
    expect(await create('global')).toBe('200');
  });
});

test.each([
  'x-id=PutObject',
  'x-amz-user-agent=aws-sdk-js%2F3.0',
  'x-amz-sdk-checksum-algorithm=CRC32',
  'x-amz-checksum-crc32=AAAAAA%3D%3D',
  'X-Amz-Content-Sha256=UNSIGNED-PAYLOAD',
  'x-amz-checksum-mode=ENABLED',
  'amz-sdk-invocation-id=1&amz-sdk-request=attempt%3D1',
  'x-amz-unheard-of=x',
])('a presigned URL may say what clients hoist, and S3 ignores: %s', async (query) => {
  for (const method of ['PUT', 'DELETE']) {
    const head = presignedHead({ method, target: `/bucket/hoisted?${query}`, headers: { 'content-length': '0' } });
    expect(outcome(await roundTrip(gateway.port, head, method))).toMatch(/^20[04]$/);
  }
});

test('whatever is said to count is read somewhere', () => {
  const sources = readdirSync(join(import.meta.dirname, '../../../src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('operation-parameters.ts') && !file.startsWith('admin'))
    .map((file) => readFileSync(join(import.meta.dirname, '../../../src', file), 'utf8'))
    .join('\n')
    .toLowerCase();
  const built = OPERATION_TABLE.filter(({ name }) => name in OPERATIONS);
  const names = new Set(built.flatMap((row) => parametersOf(row).counts.map((name) => name.replace(/^\?|\*$/g, ''))));
  // Put together where they are read, of a beginning that copies have and one that they do not, or of what is
  // overridden.
  const composed =
    /^(?:x-amz-copy-source-if|if-|response-|x-amz-server-side-encryption-bucket|x-amz-(?:metadata|tagging)-directive|x-amz-grant|x-amz-(?:copy-source-)?server-side)/;
  expect(
    [...names].filter(
      (name) =>
        !composed.test(name) &&
        !sources.includes(`'${name.toLowerCase()}`) &&
        !sources.includes(`\`${name.toLowerCase()}`),
    ),
  ).toEqual([]);
});
