import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createAccountDirectory } from '../../src/access/directory.ts';
import { send } from '../support/clients/acl-client.ts';
import { CANONICAL_ID, type TestGateway, startTestGateway } from '../support/gateway/gateway.ts';
import { type PresignedPost, type SignPosts, presignedPostSdks } from '../support/clients/presigned-posts/sign.ts';
import { ACCESS_KEY, REGION, SECRET_KEY } from '../support/clients/sign-raw.ts';
import { callSts, sessionsOf } from '../support/clients/sts-client.ts';
import { openBrowser } from './support/browser.ts';
import { type PageServer, startPageServer } from './support/page-server.ts';
import { wav } from './support/wav.ts';

/* What pages of another origin do with a bucket that has a rule for them, and with one that has none. */

const WITH_RULE = 'open-to-pages';
const WITHOUT = 'closed-to-pages';
const executable = inject('chromium');
const MIB = 1024 * 1024;
const RECORDING_SECONDS = 300;

/** What Uppy asks to be signed. */
interface Asked {
  readonly method: string;
  readonly key: string;
  readonly uploadId?: string;
  readonly partNumber?: number;
}

describe.skipIf(executable === '')('a page of another origin', () => {
  let gateway: TestGateway;
  let server: PageServer;
  let browser: Browser;
  let page: Page;
  let client: S3Client;
  const lasting = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY };

  beforeAll(async () => {
    server = await startPageServer();
    const account = { name: 'main', canonicalId: CANONICAL_ID, displayName: 'main', email: 'main@example.com' };
    const accounts = createAccountDirectory([
      { ...account, accountNumber: '444444444444', keys: [lasting], users: [] },
    ]);
    gateway = await startTestGateway({ accounts, sessions: sessionsOf(accounts) });
    client = new S3Client({ endpoint: endpoint(), region: REGION, credentials: lasting, forcePathStyle: true });
    for (const bucket of [WITH_RULE, WITHOUT]) {
      await owner('PUT', `/${bucket}`);
      await owner('PUT', `/${bucket}/text`, '0123456789');
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: 'recording',
          Body: wav(RECORDING_SECONDS),
          ContentType: 'audio/wav',
        }),
      );
    }
    const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].map((name) => `<AllowedMethod>${name}</AllowedMethod>`);
    await owner(
      'PUT',
      `/${WITH_RULE}?cors`,
      `<CORSConfiguration><CORSRule><AllowedOrigin>${server.origin}</AllowedOrigin>${methods.join('')}<AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader></CORSRule></CORSConfiguration>`,
    );
    browser = await openBrowser(executable);
    page = await browser.newPage();
    await page.exposeFunction('signRequest', signRequest);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    client.destroy();
    await server.close();
    await gateway.close();
  });
  beforeEach(async () => {
    await page.goto(`${server.origin}/`);
  });

  const endpoint = (): string => `http://127.0.0.1:${gateway.port}`;

  async function owner(method: string, target: string, body?: string): Promise<string> {
    const answer = await send(gateway.port, 'owner', { method, target, ...(body !== undefined && { body }) });
    expect(answer.status, `${method} ${target}: ${answer.body}`).toBe(200);
    return answer.body;
  }

  /** Calls a function of the page's script. */
  function inPage(name: string, argument: unknown): Promise<string> {
    return page.evaluate<string, [string, unknown]>(
      ([called, given]) => {
        const { page: script } = globalThis as unknown as { page: Record<string, (given: unknown) => string> };
        return script[called]?.(given) ?? 'no such function';
      },
      [name, argument],
    );
  }

  /** What the site behind the page does: signs what Uppy asks for. The place is the bucket's URL. */
  async function signRequest(place: string, { method, key, uploadId, partNumber }: Asked): Promise<{ url: string }> {
    const at = { Bucket: new URL(place).pathname.slice(1), Key: key };
    const upload = { ...at, UploadId: uploadId };
    const commands = {
      'POST create': new CreateMultipartUploadCommand(at),
      'PUT upload': new UploadPartCommand({ ...upload, PartNumber: partNumber }),
      'POST upload': new CompleteMultipartUploadCommand(upload),
      'GET upload': new ListPartsCommand(upload),
      'DELETE upload': new AbortMultipartUploadCommand(upload),
      'PUT create': new PutObjectCommand(at),
    } as const;
    const command: object =
      commands[`${method} ${uploadId === undefined ? 'create' : 'upload'}` as keyof typeof commands];
    return { url: await getSignedUrl(client, command as Parameters<typeof getSignedUrl>[1]) };
  }

  describe.each(['URLs that a site signs', 'temporary credentials'])('multipart by Uppy, with %s', (kind) => {
    async function upload(bucket: string, bytes: number): Promise<string> {
      const token = await callSts({
        port: gateway.port,
        parameters: { Action: 'GetSessionToken' },
        keys: lasting,
        region: REGION,
      });
      return inPage('uploadByUppy', {
        key: 'by uppy ä.txt',
        bytes,
        endpoint: `${endpoint()}/${bucket}`,
        region: REGION,
        ...(kind === 'temporary credentials' && { credentials: token.keys() }),
      });
    }

    test('uploads where a rule lets it', async () => {
      const bytes = 11 * MIB;
      expect(await upload(WITH_RULE, bytes)).toBe('uploaded by uppy ä.txt');
      const { body, headers } = await send(gateway.port, 'owner', {
        method: 'GET',
        target: `/${WITH_RULE}/by%20uppy%20%C3%A4.txt`,
      });
      expect([body.length, /[^x]/.test(body), headers['etag']?.endsWith('-3"')]).toEqual([bytes, false, true]);
      expect(await owner('GET', `/${WITH_RULE}?uploads`)).not.toContain('<Upload>');
    });

    test('does nothing where none does', async () => {
      expect(await upload(WITHOUT, 6 * MIB)).toMatch(/^failed: /);
      expect(await owner('GET', `/${WITHOUT}`)).not.toContain('uppy');
    });
  });

  describe.each(Object.entries(presignedPostSdks()))('a form signed by %s', (sdk, sign) => {
    beforeEach(({ skip }) => skip(sign === undefined));

    const key = `forms/${sdk}/\${filename}`;
    async function signed(
      bucket: string,
      fields: Readonly<Record<string, string>>,
      more: readonly unknown[] = [],
    ): Promise<PresignedPost> {
      const [form] = await (sign as SignPosts)({
        endpoint: endpoint(),
        region: REGION,
        credentials: lasting,
        posts: [{ bucket, key, fields, conditions: [['content-length-range', 1, 100], ...more], expiresIn: 600 }],
      });
      if (form === undefined) throw new Error('no form');
      return form;
    }

    test('sent by a script: readable where a rule lets it', async () => {
      const shows = ['etag', 'location'];
      const ask = async (bucket: string, file: string): Promise<string> =>
        inPage('sendForm', { ...(await signed(bucket, {})), file, shows });
      expect(await ask(WITH_RULE, 'bytes')).toBe('204 "4b3a6218bb3e3a7303e8a171a60fcf92" no location');
      expect(await ask(WITH_RULE, 'x'.repeat(101))).toBe('400 no etag no location EntityTooLarge');
      expect(await ask(WITHOUT, 'bytes')).toBe('refused');
      expect(await owner('GET', `/${WITH_RULE}/forms/${sdk}/at%20the%20sea.jpg`)).toBe('bytes');
    });

    test('sent by hand: leads to where the form says, which asks for no rule', async () => {
      const success_action_redirect = `${server.origin}/thanks?for=picture`;
      await inPage('showForm', await signed(WITHOUT, { success_action_redirect }));
      await page.setInputFiles('input[type=file]', {
        name: 'by hand.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('bytes'),
      });
      await Promise.all([page.waitForURL(/thanks/), page.click('input[type=submit]')]);
      const { pathname, searchParams } = new URL(page.url());
      expect([pathname, Object.fromEntries(searchParams)]).toEqual([
        '/thanks',
        {
          for: 'picture',
          bucket: WITHOUT,
          key: `forms/${sdk}/by hand.txt`,
          etag: '"4b3a6218bb3e3a7303e8a171a60fcf92"',
        },
      ]);
      expect(await owner('GET', `/${WITHOUT}/forms/${sdk}/by%20hand.txt`)).toBe('bytes');
    });
  });

  async function presigned(bucket: string, Key: string): Promise<string> {
    return getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key }));
  }

  test('puts a video that it recorded, and watches it, where a rule lets it', async () => {
    const put = (bucket: string): Promise<string> =>
      getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: 'video', ContentType: 'video/webm' }));
    expect(await inPage('putVideo', { url: await put(WITH_RULE) })).toMatch(/^200 "[0-9a-f]{32}"$/);
    expect(await inPage('watch', await presigned(WITH_RULE, 'video'))).toBe('watched 64x48');
    expect(await inPage('putVideo', { url: await put(WITHOUT) })).toBe('refused');
    expect(await owner('GET', `/${WITHOUT}`)).not.toContain('<Key>video<');
  });

  test('seeks in a long recording by ranges, where a rule lets it', async () => {
    const ranges: string[] = [];
    const note = (response: { status(): number; headers(): Record<string, string> }): void => {
      ranges.push(`${response.status()} ${response.headers()['content-range'] ?? ''}`);
    };
    page.on('response', note);
    const far = { url: await presigned(WITH_RULE, 'recording'), second: RECORDING_SECONDS - 10 };
    expect(await inPage('seekIn', far)).toBe(`at ${far.second} of ${RECORDING_SECONDS}`);
    page.off('response', note);
    const starts = ranges.map((range) => Number(/^206 bytes (\d+)-/.exec(range)?.[1]));
    expect(starts.some((start) => start > 96_000 * (far.second - 20))).toBe(true);
    expect(await inPage('seekIn', { ...far, url: await presigned(WITHOUT, 'recording') })).toMatch(/^refused: /);
  });

  test('reads ranges and the documents of errors, where a rule lets it', async () => {
    const read = async (bucket: string, key: string, headers = {}): Promise<string> =>
      inPage('ask', { url: await presigned(bucket, key), headers, shows: ['etag'] });
    const etag = '"781e5e245d69b566979b86e28d23f2c7"';
    const range = { range: 'bytes=2-4' };
    expect(await read(WITH_RULE, 'text', range)).toBe(`206 ${etag} 234`);
    expect(await read(WITH_RULE, 'text', { range: 'bytes=99-' })).toBe('416 no etag InvalidRange');
    expect(await read(WITH_RULE, 'none')).toBe('404 no etag NoSuchKey');
    expect(await inPage('ask', { url: `${endpoint()}/${WITH_RULE}/text?x-id=GetObject` })).toBe('403 AccessDenied');
    for (const [key, headers] of [
      ['text', range],
      ['text', {}],
      ['none', {}],
    ] as const) {
      expect(await read(WITHOUT, key, headers)).toBe('refused');
    }
  });
});
