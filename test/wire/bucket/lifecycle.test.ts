import { beforeEach, describe, expect, test } from 'vitest';
import { contentMd5, outcome } from '../../support/clients/acl-client.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

const { ask, as } = sharedGateway();
let bucket: string;
let made = 0;

beforeEach(async () => {
  bucket = `lifecycle-${String(++made)}`;
  expect(await as('owner', { method: 'PUT', target: `/${bucket}` })).toBe('200');
});

const DAYS = '<Expiration><Days>1</Days></Expiration>';
const RULE = `<Rule><ID>my rule</ID><Filter><Prefix>logs/</Prefix></Filter><Status>Enabled</Status>${DAYS}</Rule>`;
const document = (...rules: string[]): string => `<LifecycleConfiguration>${rules.join('')}</LifecycleConfiguration>`;
const MINIMUM = 'x-amz-transition-default-minimum-object-size';

function put(body: string, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
  const digest = { 'content-md5': contentMd5(body) };
  return ask('owner', { method: 'PUT', target: `/${bucket}?lifecycle`, body, headers: { ...digest, ...headers } });
}

async function get(): Promise<RawAnswer> {
  return ask('owner', { method: 'GET', target: `/${bucket}?lifecycle` });
}

describe('lifecycle rules', () => {
  test('are put, come back as they were, and are deleted', async () => {
    expect(outcome(await get())).toBe('404 NoSuchLifecycleConfiguration');
    const stored = await put(document(RULE));
    expect([stored.status, stored.body, stored.headers[MINIMUM]]).toEqual([200, '', 'all_storage_classes_128K']);
    const answer = await get();
    expect(answer.headers[MINIMUM]).toBe('all_storage_classes_128K');
    expect(answer.body.replace(/^.*?<Rule>/s, '<Rule>')).toBe(`${RULE}</LifecycleConfiguration>`);
    for (let time = 0; time < 2; time++) {
      expect(await as('owner', { method: 'DELETE', target: `/${bucket}?lifecycle` })).toBe('204');
    }
    expect(outcome(await get())).toBe('404 NoSuchLifecycleConfiguration');
  });

  test('need a digest of their body, and a known default size', async () => {
    const target = `/${bucket}?lifecycle`;
    expect(await as('owner', { method: 'PUT', target, body: document(RULE) })).toBe('400 InvalidRequest');
    const wrong = await put(document(RULE), { [MINIMUM]: 'none' });
    expect(wrong.body).toContain('<Message>Invalid TransitionDefaultMinimumObjectSize found: none</Message>');
    expect((await put(document(RULE), { [MINIMUM]: 'varies_by_storage_class' })).status).toBe(200);
    expect((await get()).headers[MINIMUM]).toBe('varies_by_storage_class');
  });

  test('that move objects are refused where classes are labels, wrong ones as wrong', async () => {
    const move = (days: number): string =>
      `<Rule><Filter/><Status>Enabled</Status><Transition><Days>${String(days)}</Days><StorageClass>STANDARD_IA</StorageClass></Transition></Rule>`;
    expect(outcome(await put(document(move(29))))).toBe('400 InvalidArgument');
    expect(outcome(await put(document(move(30))))).toBe('501 NotImplemented');
    expect(outcome(await get())).toBe('404 NoSuchLifecycleConfiguration');
  });

  test('may be a thousand, of more than a megabyte', async () => {
    const rules = Array.from(
      { length: 1000 },
      (_, n) =>
        `<Rule><Filter><Prefix>${'p'.repeat(1000)}${String(n)}</Prefix></Filter><Status>Enabled</Status>${DAYS}</Rule>`,
    );
    expect((await put(document(...rules))).status).toBe(200);
    expect((await get()).body.split('<Rule>')).toHaveLength(1001);
    expect(outcome(await put(document(...rules, RULE)))).toBe('400 MalformedXML');
  });
});

describe('x-amz-expiration', () => {
  const expiration = ({ headers }: RawAnswer): string | undefined => headers['x-amz-expiration'];

  test('is in the answers that make or show a current object under a rule', async () => {
    await put(document(RULE));
    const target = `/${bucket}/logs/a`;
    const stored = await ask('owner', { method: 'PUT', target, body: 'x' });
    expect(expiration(stored)).toMatch(/^expiry-date="\w{3}, \d\d \w{3} \d{4} 00:00:00 GMT", rule-id="my rule"$/);
    const due = Date.parse(/expiry-date="([^"]+)"/.exec(expiration(stored) ?? '')?.[1] ?? '');
    expect(Math.floor((due - Date.now()) / 86_400_000)).toBe(1);
    const copied = await ask('owner', {
      method: 'PUT',
      target: `${target}-2`,
      headers: { 'x-amz-copy-source': target },
    });
    const said = [copied];
    for (const method of ['GET', 'HEAD']) said.push(await ask('owner', { method, target }));
    const created = await ask('owner', { method: 'POST', target: `${target}-3?uploads` });
    const upload = /<UploadId>(.*?)</.exec(created.body)?.[1] ?? '';
    const part = await ask('owner', {
      method: 'PUT',
      target: `${target}-3?partNumber=1&uploadId=${upload}`,
      body: 'x',
    });
    said.push(
      await ask('owner', {
        method: 'POST',
        target: `${target}-3?uploadId=${upload}`,
        body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`,
      }),
    );
    expect(said.map(expiration)).toEqual(said.map(() => expiration(stored)));
  });

  test('is not where no rule counts, nor where a version is named', async () => {
    await put(document(RULE));
    const target = `/${bucket}/other`;
    expect(expiration(await ask('owner', { method: 'PUT', target, body: 'x' }))).toBeUndefined();
    await ask('owner', { method: 'PUT', target: `/${bucket}/logs/a`, body: 'x' });
    const named = await ask('owner', { method: 'GET', target: `/${bucket}/logs/a?versionId=null` });
    expect([named.status, expiration(named)]).toEqual([200, undefined]);
  });
});
