import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type Caller, type Sent, outcome, send } from '../../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';

export type Headers = Readonly<Record<string, string>>;
export type State = 'never' | 'enabled' | 'suspended';

/** Well-formed, and of no version. */
export const UNKNOWN = '1'.padStart(32, '0');
/** As S3 makes them: programs that used S3 before hold such ids. */
export const OF_S3 = 'aB3_xY.9kLmN0pQrStUvWxYz1234567_';
export const TOKEN = /^[0-9a-f]{32}$/;
export const TAGGING = '<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>';

let gateway: TestGateway;
let made = 0;
/** Of the test that runs. */
export let bucket: string;

/** To be called once by each file of tests: a gateway for all of them, and a bucket for each. */
export function openScene(): void {
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.close());

  beforeEach(async () => {
    bucket = `versions-${++made}`;
    await ask({ method: 'PUT', target: `/${bucket}` }, 200);
  });
}

/** Fails where the answer has another status. */
export async function ask(sent: Sent, status: number, caller: Caller = 'owner'): Promise<RawAnswer> {
  const answer = await send(gateway.port, caller, sent);
  expect(answer.status, `${sent.method} ${sent.target} ${answer.body}`).toBe(status);
  return answer;
}

/** Whatever it is. */
export function answerTo(sent: Sent): Promise<RawAnswer> {
  return send(gateway.port, 'owner', sent);
}

/** Status and code of the error. */
export async function as(caller: Caller, sent: Sent): Promise<string> {
  return outcome(await send(gateway.port, caller, sent));
}

/** Brings the bucket into one state after the other. */
export async function versioning(...states: State[]): Promise<void> {
  for (const state of states) {
    if (state === 'never') continue;
    const status = state === 'enabled' ? 'Enabled' : 'Suspended';
    await ask(
      {
        method: 'PUT',
        target: `/${bucket}?versioning`,
        body: `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`,
      },
      200,
    );
  }
}

/** Like a name of a version, whatever made it. */
export function idOf({ headers }: RawAnswer): string {
  return headers['x-amz-version-id'] ?? 'none';
}

/** @returns version id */
export async function put(body = 'text', key = 'k', headers: Headers = {}): Promise<string> {
  return idOf(await ask({ method: 'PUT', target: `/${bucket}/${key}`, headers, body }, 200));
}

/** Target of the key that everything is about. */
export const object = (versionId?: string, more = ''): string => {
  const query = [more, versionId === undefined ? '' : `versionId=${versionId}`].filter(Boolean).join('&');
  return `/${bucket}/k${query === '' ? '' : `?${query}`}`;
};

/** The text, or the error. */
export async function get(versionId?: string): Promise<string> {
  const answer = await answerTo({ method: 'GET', target: object(versionId) });
  return answer.status === 200 ? answer.body : outcome(answer);
}

/** `204 marker <id>`: what a deletion says. */
export async function remove(versionId?: string, headers: Headers = {}): Promise<string> {
  const answer = await answerTo({ method: 'DELETE', target: object(versionId), headers });
  return [
    outcome(answer),
    answer.headers['x-amz-delete-marker'] === 'true' ? 'marker' : '',
    answer.headers['x-amz-version-id'] ?? '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** @returns id of the marker */
export async function marker(): Promise<string> {
  return idOf(await ask({ method: 'DELETE', target: object() }, 204));
}

/** An upload of one part. @returns version id */
export async function multipart(
  body: string,
  between: () => Promise<unknown> = async () => undefined,
): Promise<string> {
  const created = await ask({ method: 'POST', target: object(undefined, 'uploads') }, 200);
  const query = `uploadId=${/<UploadId>([^<]+)</.exec(created.body)?.[1] ?? ''}`;
  const part = await ask({ method: 'PUT', target: object(undefined, `partNumber=1&${query}`), body }, 200);
  expect([idOf(created), idOf(part)]).toEqual(['none', 'none']);
  await between();
  const list = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers['etag'] ?? ''}</ETag></Part></CompleteMultipartUpload>`;
  const complete: Sent = { method: 'POST', target: object(undefined, query), body: list };
  const completed = await ask(complete, 200);
  expect(idOf(await ask(complete, 200)), 'sent again').toBe(idOf(completed));
  return idOf(completed);
}

/** All operations that may name a version. */
export const NAMING: Readonly<Record<string, (versionId?: string) => Sent>> = {
  GetObject: (id) => ({ method: 'GET', target: object(id) }),
  HeadObject: (id) => ({ method: 'HEAD', target: object(id) }),
  GetObjectAttributes: (id) => ({
    method: 'GET',
    target: object(id, 'attributes'),
    headers: { 'x-amz-object-attributes': 'ETag' },
  }),
  GetObjectAcl: (id) => ({ method: 'GET', target: object(id, 'acl') }),
  PutObjectAcl: (id) => ({ method: 'PUT', target: object(id, 'acl'), headers: { 'x-amz-acl': 'private' } }),
  GetObjectTagging: (id) => ({ method: 'GET', target: object(id, 'tagging') }),
  PutObjectTagging: (id) => ({ method: 'PUT', target: object(id, 'tagging'), body: TAGGING }),
  DeleteObjectTagging: (id) => ({ method: 'DELETE', target: object(id, 'tagging') }),
  DeleteObject: (id) => ({ method: 'DELETE', target: object(id) }),
  CopyObject: (id) => ({ method: 'PUT', target: `/${bucket}/copy`, headers: { 'x-amz-copy-source': object(id) } }),
};
export const READING = Object.entries(NAMING).filter(([name]) => !['DeleteObject', 'CopyObject'].includes(name));

/** HEAD has no error document. */
export function without(document: string, name: string): string {
  return name === 'HeadObject' ? document.slice(0, 3) : document;
}
