import { beforeEach, describe, expect, test } from 'vitest';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { contentMd5, outcome, send } from '../../support/clients/acl-client.ts';
import { CANONICAL_ID, OTHER_CANONICAL_ID, startTestGateway } from '../../support/gateway/gateway.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

const shared = sharedGateway({ rules: [{ pattern: 'logs-kept', backend: 'test', readOnly: true }] });
const { ask, as } = shared;
let bucket: string;
let target: string;
let made = 0;

beforeEach(async () => {
  bucket = `logged-${++made}`;
  target = `logs-${made}`;
  for (const name of [bucket, target]) expect(await as('owner', { method: 'PUT', target: `/${name}` })).toBe('200');
});

const enabled = (to: string, more = '', prefix = 'a/'): string =>
  `<BucketLoggingStatus><LoggingEnabled><TargetBucket>${to}</TargetBucket>${more}<TargetPrefix>${prefix}</TargetPrefix></LoggingEnabled></BucketLoggingStatus>`;

function put(body: string, name = bucket): Promise<RawAnswer> {
  return ask('owner', { method: 'PUT', target: `/${name}?logging`, body });
}

/** Lets the log delivery write to the target, as AWS's own documentation does. */
async function letIn(): Promise<void> {
  const Statement = {
    Effect: 'Allow',
    Principal: { Service: 'logging.s3.amazonaws.com' },
    Action: 's3:PutObject',
    Resource: `arn:aws:s3:::${target}/a/*`,
    Condition: {
      ArnLike: { 'aws:SourceArn': `arn:aws:s3:::${bucket}` },
      StringEquals: { 'aws:SourceAccount': '444444444444' },
    },
  };
  const body = JSON.stringify({ Version: '2012-10-17', Statement });
  expect(await as('owner', { method: 'PUT', target: `/${target}?policy`, body })).toBe('204');
}

async function keysIn(name: string): Promise<string[]> {
  const { body } = await ask('owner', { method: 'GET', target: `/${name}?list-type=2` });
  return Array.from(body.matchAll(/<Key>([^<]*)</g), ([, key = '']) => key);
}

/** All records that are delivered by now: operation, key, status, error. */
async function records(): Promise<string[]> {
  await shared.gateway.deliverLogs();
  const lines: string[] = [];
  for (const key of await keysIn(target)) {
    const { body } = await ask('owner', { method: 'GET', target: `/${target}/${key}` });
    lines.push(...body.trimEnd().split('\n'));
  }
  return lines;
}

const operations = (lines: readonly string[]): string[] =>
  lines.map((line) => {
    const fields = line.match(/\[[^\]]*\]|"[^"]*"|\S+/g) ?? [];
    return [6, 7, 9, 10].map((at) => fields[at]).join(' ');
  });

describe('PutBucketLogging', () => {
  test('is read again as it was put, and switched off by an empty document', async () => {
    expect((await put(enabled(target))).status).toBe(200);
    const { body } = await ask('owner', { method: 'GET', target: `/${bucket}?logging` });
    expect(body).toContain(
      `<LoggingEnabled><TargetBucket>${target}</TargetBucket><TargetPrefix>a/</TargetPrefix></LoggingEnabled>`,
    );
    expect((await put('<BucketLoggingStatus/>')).status).toBe(200);
    expect((await ask('owner', { method: 'GET', target: `/${bucket}?logging` })).body).toMatch(
      /<BucketLoggingStatus[^>]*\/>$/,
    );
  });

  const INVALID =
    /<Code>InvalidTargetBucketForLogging<\/Code><Message>([^<]*)<\/Message><TargetBucket>([^<]*)<\/TargetBucket>/;

  test.each(['logs-nowhere', 'no/bucket', '..'])('a target that is not there: %s', async (name) => {
    const answer = await put(enabled(name));
    expect(answer.status).toBe(400);
    expect(INVALID.exec(answer.body)?.slice(1)).toEqual(['The target bucket for logging does not exist', name]);
    expect((await ask('owner', { method: 'GET', target: `/${bucket}?logging` })).body).not.toContain('LoggingEnabled');
  });

  test("another account's bucket, even one that is open to all", async () => {
    const name = `logs-other-${made}`;
    expect(
      await as('other', { method: 'PUT', target: `/${name}`, headers: { 'x-amz-acl': 'public-read-write' } }),
    ).toBe('200');
    const answer = await put(enabled(name));
    expect(answer.status).toBe(400);
    expect(INVALID.exec(answer.body)?.[1]).toBe(
      'The owner for the bucket to be logged and the target bucket must be the same.',
    );
  });

  test('a target that is read-only here', async () => {
    expect(outcome(await put(enabled('logs-kept')))).toBe('400 InvalidTargetBucketForLogging');
  });

  test('a prefix that leaves no room for a name', async () => {
    expect(outcome(await put(enabled(target, '', 'x'.repeat(1000))))).toBe('400 KeyTooLongError');
  });

  test('grants to accounts that are none', async () => {
    const grants = `<TargetGrants><Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>nobody</ID></Grantee><Permission>READ</Permission></Grant></TargetGrants>`;
    expect(outcome(await put(enabled(target, grants)))).toBe('400 InvalidArgument');
  });

  test('callers who may not', async () => {
    const sent = { method: 'PUT', target: `/${bucket}?logging`, body: enabled(target) };
    expect(await as('other', sent)).toBe('403 AccessDenied');
    expect(await as('anonymous', sent)).toBe('403 AccessDenied');
  });
});

describe('records', () => {
  test('of requests of all kinds, in the target, one object for all', async () => {
    await letIn();
    expect((await put(enabled(target))).status).toBe(200);
    const object = `/${bucket}/cat%20%22x%22.jpg`;
    expect(await as('owner', { method: 'PUT', target: object, body: 'hello' })).toBe('200');
    expect(await as('owner', { method: 'GET', target: object })).toBe('200');
    expect(await as('other', { method: 'GET', target: object })).toBe('403 AccessDenied');
    expect(await as('anonymous', { method: 'GET', target: `/${bucket}` })).toBe('403 AccessDenied');
    expect(await as('owner', { method: 'GET', target: `/${bucket}/none` })).toBe('404 NoSuchKey');
    const source = { 'x-amz-copy-source': object };
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/copy`, headers: source })).toBe('200');
    const body = '<Delete><Object><Key>copy</Key></Object><Object><Key>no one</Key></Object></Delete>';
    const headers = { 'content-md5': contentMd5(body) };
    expect(await as('owner', { method: 'POST', target: `/${bucket}?delete`, headers, body })).toBe('200');

    const lines = await records();
    const key = 'cat%20%22x%22.jpg';
    const removed = ['BATCH.DELETE.OBJECT copy 204 -', 'BATCH.DELETE.OBJECT no%20one 204 -'];
    const seen = operations(lines);
    // Keys of one request are deleted side by side.
    expect(seen.splice(-2).sort()).toEqual(removed);
    expect(seen).toEqual([
      `REST.PUT.OBJECT ${key} 200 -`,
      `REST.GET.OBJECT ${key} 200 -`,
      `REST.GET.OBJECT ${key} 403 AccessDenied`,
      'REST.GET.BUCKET - 403 AccessDenied',
      'REST.GET.OBJECT none 404 NoSuchKey',
      'REST.COPY.OBJECT copy 200 -',
      `REST.COPY.OBJECT_GET ${key} 200 -`,
      'REST.POST.MULTI_OBJECT_DELETE - 200 -',
    ]);
    expect(lines.every((line) => line.startsWith(`${CANONICAL_ID} ${bucket} [`))).toBe(true);
    expect(lines[2]).toContain(` ${OTHER_CANONICAL_ID} `);
    const [name, ...others] = await keysIn(target);
    expect(name).toMatch(/^a\/\d{4}(-\d\d){5}-[0-9A-F]{16}$/);
    expect(others).toEqual([]);
  });

  test('of a copy stand in the logs of both buckets', async () => {
    await letIn();
    expect((await put(enabled(target))).status).toBe(200);
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/k`, body: 'x' })).toBe('200');
    const headers = { 'x-amz-copy-source': `/${bucket}/k` };
    expect(await as('owner', { method: 'PUT', target: `/${target}/copy`, headers })).toBe('200');
    expect(await as('owner', { method: 'DELETE', target: `/${target}/copy` })).toBe('204');
    expect(operations(await records())).toEqual(['REST.PUT.OBJECT k 200 -', 'REST.COPY.OBJECT_GET k 200 -']);
  });

  test('of a bucket that logs to itself do not breed: deliveries leave none', async () => {
    target = bucket;
    await letIn();
    expect((await put(enabled(target))).status).toBe(200);
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/k`, body: 'x' })).toBe('200');
    await shared.gateway.deliverLogs();
    expect((await keysIn(target)).filter((key) => key.startsWith('a/'))).toHaveLength(1);
    const { accessLogs } = shared.gateway;
    await shared.gateway.deliverLogs();
    const before = accessLogs.counts.delivered;
    await shared.gateway.deliverLogs();
    expect(accessLogs.counts.delivered).toBe(before);
  });

  test('belong to the owner of the target, and to whom the grants name', async () => {
    await letIn();
    const grants = `<TargetGrants><Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>${OTHER_CANONICAL_ID}</ID></Grantee><Permission>READ</Permission></Grant></TargetGrants>`;
    expect((await put(enabled(target, grants))).status).toBe(200);
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/k`, body: 'x' })).toBe('200');
    await shared.gateway.deliverLogs();
    const [key = ''] = await keysIn(target);
    const answer = await ask('other', { method: 'GET', target: `/${target}/${key}` });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain']);
    expect(await as('third', { method: 'GET', target: `/${target}/${key}` })).toBe('403 AccessDenied');
  });

  test('stay out of a target that does not let the delivery in, and are counted', async () => {
    expect((await put(enabled(target))).status).toBe(200);
    const { accessLogs, logged } = shared.gateway;
    const before = accessLogs.counts.refused;
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/k`, body: 'x' })).toBe('200');
    expect(await records()).toEqual([]);
    expect(accessLogs.counts.refused).toBe(before + 1);
    expect(logged.at(-1)).toMatchObject({ level: 'warn', fields: { bucket, targetBucket: target, records: 1 } });
  });

  test('never go to a target that was removed and that another account has made anew', async () => {
    await letIn();
    expect((await put(enabled(target))).status).toBe(200);
    expect(await as('owner', { method: 'PUT', target: `/${bucket}/k`, body: 'x' })).toBe('200');
    expect(await as('owner', { method: 'DELETE', target: `/${target}` })).toBe('204');
    const headers = { 'x-amz-acl': 'log-delivery-write' };
    expect(await as('other', { method: 'PUT', target: `/${target}`, headers })).toBe('200');
    await shared.gateway.deliverLogs();
    const listed = await ask('other', { method: 'GET', target: `/${target}?list-type=2` });
    expect(listed.body).toContain('<KeyCount>0</KeyCount>');
  });
});

test('a request with a wrong signature is recorded while its bucket is remembered', async () => {
  const gateway = await startTestGateway({ bucketCacheMs: 600_000 });
  try {
    const headers = { 'x-amz-acl': 'log-delivery-write' };
    await send(gateway.port, 'owner', { method: 'PUT', target: '/remembered', headers });
    await send(gateway.port, 'owner', { method: 'PUT', target: '/remembered?logging', body: enabled('remembered') });
    await send(gateway.port, 'owner', { method: 'HEAD', target: '/remembered' });
    const refused = await send(gateway.port, 'owner', { method: 'GET', target: '/remembered/k', secretKey: 'wrong' });
    expect(outcome(refused)).toBe('403 SignatureDoesNotMatch');
    await gateway.deliverLogs();
    const { body } = await send(gateway.port, 'owner', { method: 'GET', target: '/remembered?list-type=2' });
    const [, key = ''] = /<Key>([^<]*)</.exec(body) ?? [];
    const log = await send(gateway.port, 'owner', { method: 'GET', target: `/remembered/${key}` });
    expect(operations(log.body.trimEnd().split('\n'))).toEqual([
      'REST.HEAD.BUCKET - 200 -',
      'REST.GET.OBJECT k 403 SignatureDoesNotMatch',
    ]);
  } finally {
    await gateway.close();
  }
});
