import { beforeAll, describe, expect, test } from 'vitest';
import { contentMd5, outcome } from '../../support/clients/acl-client.ts';
import { formRequest, signatureV4 } from '../../support/clients/post-form.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import { ACCESS_KEY, REGION, SECRET_KEY } from '../../support/clients/sign-raw.ts';

/*
 * Documents with something in each of their places that does not belong there: lists and objects nested some thousand
 * times, which parsers take and which nothing can write again, and values that are nearly numbers and texts.
 */
const shared = sharedGateway();
const DEPTH = 7000;
const LIST = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
const OBJECT = `${'{"a":'.repeat(2300)}1${'}'.repeat(2300)}`;
const VALUES = [
  LIST,
  OBJECT,
  'null',
  'true',
  '1e999',
  '-0',
  '[]',
  '{}',
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":1}',
];

const PLACE = '"@"';

/** The document with each of its values in turn replaced by a mark, keys as they are. */
function places(value: unknown): unknown[] {
  const entries = Object.entries(value ?? {});
  if (typeof value !== 'object' || entries.length === 0) return ['@'];
  const inside = entries.flatMap(([name, one]) =>
    places(one).map((other) =>
      Array.isArray(value) ? value.with(Number(name), other) : { ...(value as object), [name]: other },
    ),
  );
  return ['@', ...inside];
}

function spoiled(document: unknown): string[] {
  return places(document).flatMap((one) => VALUES.map((value) => JSON.stringify(one).replace(PLACE, () => value)));
}

beforeAll(async () => {
  expect(await shared.as('owner', { method: 'PUT', target: '/deep' })).toBe('200');
});

test('policies of buckets are stored or refused', async () => {
  const documents = spoiled({
    Version: '2012-10-17',
    Id: 'x',
    Statement: [
      {
        Sid: 'x',
        Effect: 'Allow',
        Principal: { AWS: ['*'] },
        Action: ['s3:GetObject'],
        Resource: ['arn:aws:s3:::deep/*'],
        Condition: { StringEquals: { 'aws:PrincipalTag/a': ['b'] } },
      },
    ],
  });
  for (const body of documents) {
    const told = await shared.as('owner', { method: 'PUT', target: '/deep?policy', body });
    expect(told, body.slice(0, 300)).toMatch(/^(?:204|400 MalformedPolicy)$/);
    if (told === '204') expect(await shared.as('owner', { method: 'GET', target: '/deep?policy' })).toBe('200');
  }
});

test('policies of forms are refused, or the form is stored', async () => {
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = [date.slice(0, 8), REGION, 's3', 'aws4_request'];
  const fields = [
    ['key', 'k'],
    ['x-amz-algorithm', 'AWS4-HMAC-SHA256'],
    ['x-amz-credential', [ACCESS_KEY, ...scope].join('/')],
    ['x-amz-date', date],
  ] as const;
  const signing = fields.slice(1).map(([name, value]) => ({ [name]: value }));
  const documents = spoiled({
    expiration: new Date(Date.now() + 60_000).toISOString(),
    conditions: [{ bucket: 'deep' }, ['eq', '$key', 'k'], ['content-length-range', 0, '5'], ...signing],
  });
  for (const document of documents) {
    const signed = [...fields, ...signatureV4(document, { secretKey: SECRET_KEY, scope })];
    const answer = await roundTrip(shared.gateway.port, formRequest('deep', { fields: signed, file: 'x' }));
    expect(outcome(answer), document.slice(0, 300)).toMatch(
      /^(?:204|400 InvalidPolicyDocument|403 AccessDenied|400 EntityTooLarge|400 MaxPostPreDataLengthExceeded)$/,
    );
  }
});

describe('settings in XML', () => {
  test.each([
    'cors',
    'website',
    'tagging',
    'acl',
    'versioning',
    'delete',
    'encryption',
    'ownershipControls',
    'object-lock',
  ])('%s', async (query) => {
    for (const name of ['a', 'Delete', 'CORSConfiguration', 'Tagging', 'AccessControlPolicy', '__proto__']) {
      for (const body of [`<${name}>`.repeat(3000), `<${name}>`.repeat(3000) + `</${name}>`.repeat(3000)]) {
        const method = query === 'delete' ? 'POST' : 'PUT';
        const headers = { 'content-md5': contentMd5(body) };
        expect(await shared.as('owner', { method, target: `/deep?${query}`, headers, body })).toMatch(/^400 /);
      }
    }
  });
});
