import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAccountDirectory } from '../../../src/access/directory.ts';
import type { BlobStore } from '../../../src/store/blob-store.ts';
import { send } from '../../support/clients/acl-client.ts';
import { BACKENDS, type Cloud, startCloud } from '../../support/backends/clouds.ts';
import { CANONICAL_ID, type TestGateway, startGatewayOver } from '../../support/gateway/gateway.ts';
import {
  type PostRequest,
  type PresignedPost,
  type SignPosts,
  presignedPostSdks,
} from '../../support/clients/presigned-posts/sign.ts';
import { ACCESS_KEY, REGION, SECRET_KEY } from '../../support/clients/sign-raw.ts';
import { callSts, sessionsOf } from '../../support/clients/sts-client.ts';
import { testCall } from '../../support/test-call.ts';

/* Forms signed by SDKs, and sent as a browser does: what they allow is stored, and nothing else. */

const SDKS = Object.entries(presignedPostSdks());
const BUCKET = 'album';
const OTHER_BUCKET = 'elsewhere';
const FILE = 'the bytes of a picture';
const TAGGING = '<Tagging><TagSet><Tag><Key>trip</Key><Value>sea + sand</Value></Tag></TagSet></Tagging>';

const POST: PostRequest = {
  bucket: BUCKET,
  key: 'up/${filename}',
  fields: { success_action_status: '201', 'x-amz-meta-album': 'summer', tagging: TAGGING },
  conditions: [
    ['content-length-range', 5, 100],
    ['starts-with', '$Content-Type', 'image/'],
  ],
  expiresIn: 600,
};
const PLAIN: PostRequest = { ...POST, key: 'plain', fields: {}, conditions: [] };
const EXPIRED: PostRequest = { ...POST, expiresIn: -60 };

/** Signed forms by what they are for; those of `session` with temporary credentials. */
type Forms = Readonly<Record<'post' | 'plain' | 'expired' | 'session', PresignedPost>>;

interface Answer {
  /** Status, and the code of an error. */
  readonly outcome: string;
  readonly text: string;
  readonly headers: Headers;
}

/** What a page does with the form: adds the type of the file, and the file as the last field. */
async function submit({ url, fields }: PresignedPost, file = FILE): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new File([file], 'at the sea.jpg', { type: 'image/jpeg' }));
  const answer = await fetch(url, { method: 'POST', body: form, signal: AbortSignal.timeout(15_000) });
  const text = await answer.text();
  const code = /<Error><Code>(\w+)</.exec(text)?.[1];
  return { outcome: [String(answer.status), code].filter(Boolean).join(' '), text, headers: answer.headers };
}

/** The form with another value of a field, however the SDK spells its name; undefined: without it. */
function changed(form: PresignedPost, name: string, value: string | undefined): PresignedPost {
  const others = Object.entries(form.fields).filter(([field]) => field.toLowerCase() !== name.toLowerCase());
  return { ...form, fields: { ...Object.fromEntries(others), ...(value !== undefined && { [name]: value }) } };
}

function valueOf({ fields }: PresignedPost, name: string): string {
  return Object.entries(fields).find(([field]) => field.toLowerCase() === name.toLowerCase())?.[1] ?? '';
}

const typed = (form: PresignedPost, type = 'image/jpeg'): PresignedPost => changed(form, 'Content-Type', type);
const otherEnd = (text: string): string => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
const withPolicy = (form: PresignedPost, edit: (policy: string) => string): PresignedPost =>
  changed(
    form,
    'policy',
    Buffer.from(edit(Buffer.from(valueOf(form, 'policy'), 'base64').toString())).toString('base64'),
  );

type Refused = readonly [what: string, outcome: string, form: (forms: Forms) => PresignedPost, file: string];

const REFUSED: Refused[] = [
  ['a file that is too large', '400 EntityTooLarge', ({ post }) => typed(post), 'x'.repeat(101)],
  ['a file that is too small', '400 EntityTooSmall', ({ post }) => typed(post), 'tiny'],
  ['another type', '403 AccessDenied', ({ post }) => typed(post, 'text/html'), FILE],
  ['no type', '403 AccessDenied', ({ post }) => post, FILE],
  ['another prefix', '403 AccessDenied', ({ post }) => changed(typed(post), 'key', 'down/${filename}'), FILE],
  ['another key', '403 AccessDenied', ({ plain }) => changed(plain, 'key', 'plain2'), FILE],
  ['another status', '403 AccessDenied', ({ post }) => changed(typed(post), 'success_action_status', '200'), FILE],
  [
    'a redirect',
    '403 AccessDenied',
    ({ plain }) => changed(plain, 'success_action_redirect', 'https://a.example/'),
    FILE,
  ],
  ['other metadata', '403 AccessDenied', ({ post }) => changed(typed(post), 'x-amz-meta-album', 'winter'), FILE],
  ['more metadata', '403 AccessDenied', ({ post }) => changed(typed(post), 'x-amz-meta-more', 'x'), FILE],
  [
    'other tags',
    '403 AccessDenied',
    ({ post }) => changed(typed(post), 'tagging', TAGGING.replace('trip', 'role')),
    FILE,
  ],
  ['tags', '403 AccessDenied', ({ plain }) => changed(plain, 'tagging', TAGGING), FILE],
  ['an ACL', '403 AccessDenied', ({ plain }) => changed(plain, 'acl', 'public-read'), FILE],
  [
    'another bucket',
    '403 AccessDenied',
    ({ plain }) => ({ ...plain, url: plain.url.replace(BUCKET, OTHER_BUCKET) }),
    FILE,
  ],
  ['a form that has expired', '403 AccessDenied', ({ expired }) => typed(expired), FILE],
  [
    'another policy',
    '403 SignatureDoesNotMatch',
    ({ post }) => withPolicy(typed(post), (policy) => policy.replace('100', '999')),
    FILE,
  ],
  [
    'another signature',
    '403 SignatureDoesNotMatch',
    ({ post }) => changed(typed(post), 'x-amz-signature', otherEnd(valueOf(post, 'x-amz-signature'))),
    FILE,
  ],
  [
    'temporary credentials without their token',
    '403 InvalidAccessKeyId',
    ({ session }) => changed(typed(session), 'x-amz-security-token', undefined),
    FILE,
  ],
  [
    'another token',
    '400 InvalidToken',
    ({ session }) =>
      changed(typed(session), 'x-amz-security-token', otherEnd(valueOf(session, 'x-amz-security-token'))),
    FILE,
  ],
];

describe.each(BACKENDS)('forms that SDKs sign, over %s', (name) => {
  let cloud: Cloud;
  let gateway: TestGateway<BlobStore>;

  beforeAll(async () => {
    cloud = await startCloud(name);
    const key = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY };
    const account = { name: 'main', canonicalId: CANONICAL_ID, displayName: 'main', email: 'main@example.com' };
    const accounts = createAccountDirectory([{ ...account, accountNumber: '444444444444', keys: [key], users: [] }]);
    const sessions = sessionsOf(accounts);
    gateway = await startGatewayOver(cloud.open(), { accounts, sessions });
    for (const bucket of [BUCKET, OTHER_BUCKET]) {
      expect((await send(gateway.port, 'owner', { method: 'PUT', target: `/${bucket}` })).status).toBe(200);
    }
  }, 180_000);
  afterAll(async () => {
    await gateway.close();
    await cloud.stop();
  });

  async function signAll(sign: SignPosts): Promise<Forms> {
    const lasting = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY };
    const to = { endpoint: `http://127.0.0.1:${gateway.port}`, region: REGION };
    const parameters = { Action: 'GetSessionToken' };
    const token = await callSts({ port: gateway.port, parameters, keys: lasting, region: REGION });
    const [[post, plain, expired], [session]] = await Promise.all([
      sign({ ...to, credentials: lasting, posts: [POST, PLAIN, EXPIRED] }),
      sign({ ...to, credentials: token.keys(), posts: [POST] }),
    ]);
    if (!post || !plain || !expired || !session) throw new Error('the SDK signed too few forms');
    return { post, plain, expired, session };
  }

  async function get(target: string, method = 'GET'): ReturnType<typeof send> {
    return send(gateway.port, 'owner', { method, target });
  }

  /** All versions of both buckets, and what lies staged beside them. */
  async function stored(): Promise<string[]> {
    const names: string[] = [];
    for (const bucket of [BUCKET, OTHER_BUCKET]) {
      const { body } = await get(`/${bucket}?versions`);
      names.push(...Array.from(body.matchAll(/<(?:Key|ETag|LastModified)>([^<]*)</g), ([, text]) => text ?? ''));
    }
    const { entries } = await gateway.store.list('system', { limit: 1000 }, testCall());
    return [...names, ...entries.map((entry) => entry.name).filter((entry) => !entry.startsWith('b/'))];
  }

  describe.each(SDKS)('%s', (_sdk, sign) => {
    let forms: Forms;

    beforeAll(async () => {
      if (sign !== undefined) forms = await signAll(sign);
    });
    beforeEach(({ skip }) => skip(sign === undefined));

    test.each(['post', 'session'] as const)('%s: an object with all that the form says', async (kind) => {
      const { outcome, text, headers } = await submit(typed(forms[kind]));
      const etag = `"${createHash('md5').update(FILE).digest('hex')}"`;
      const location = `http://127.0.0.1:${gateway.port}/${BUCKET}/up/at%20the%20sea.jpg`;
      expect([outcome, headers.get('etag'), headers.get('location')]).toEqual(['201', etag, location]);
      expect(text).toContain(
        `<PostResponse><Location>${location}</Location><Bucket>${BUCKET}</Bucket><Key>up/at the sea.jpg</Key>`,
      );
      const object = await get(`/${BUCKET}/up/at%20the%20sea.jpg`);
      expect([object.status, object.body]).toEqual([200, FILE]);
      expect(object.headers).toMatchObject({
        etag,
        'content-type': 'image/jpeg',
        'x-amz-meta-album': 'summer',
        'x-amz-tagging-count': '1',
      });
      const tags = (await get(`/${BUCKET}/up/at%20the%20sea.jpg?tagging`)).body;
      expect(tags).toContain('<Key>trip</Key><Value>sea + sand</Value>');
    });

    test('one that says nothing but the key', async () => {
      expect((await submit(forms.plain)).outcome).toBe('204');
      expect((await get(`/${BUCKET}/plain`)).body).toBe(FILE);
    });

    test.each(REFUSED)('%s: %s, and nothing is stored', async (_what, expected, form, file) => {
      const before = await stored();
      expect((await submit(form(forms), file)).outcome).toBe(expected);
      expect(await stored()).toEqual(before);
    });
  });
});
