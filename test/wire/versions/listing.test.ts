import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sent, outcome, send } from '../../support/clients/acl-client.ts';
import { type TestGateway, startTestGateway } from '../../support/gateway/gateway.ts';

const STATUS = (value: string): string =>
  `<VersioningConfiguration><Status>${value}</Status></VersioningConfiguration>`;

let gateway: TestGateway;
/** By key, newest first: `D` or `V`, `*` on the latest, id. */
const expected: string[] = [];

async function ask(sent: Sent, status: number): Promise<string> {
  const answer = await send(gateway.port, 'owner', sent);
  expect(answer.status, answer.body).toBe(status);
  return answer.headers['x-amz-version-id'] ?? 'null';
}

async function document(query: string): Promise<string> {
  const answer = await send(gateway.port, 'owner', { method: 'GET', target: `/bucket?versions${query}` });
  expect(answer.status, answer.body).toBe(200);
  return answer.body;
}

/** Versions and delete markers in the order of the document. */
function entries(xml: string): string[] {
  const found = xml.matchAll(
    /<(Version|DeleteMarker)><Key>([^<]*)<\/Key><VersionId>([^<]*)<\/VersionId><IsLatest>(true|false)</g,
  );
  return Array.from(
    found,
    ([, element = '', key = '', id = '', latest]) => `${element.charAt(0)}${latest === 'true' ? '*' : ''} ${key} ${id}`,
  );
}

beforeAll(async () => {
  gateway = await startTestGateway();
  const put = (key: string): Promise<string> => ask({ method: 'PUT', target: `/bucket/${key}`, body: key }, 200);
  const remove = (key: string): Promise<string> => ask({ method: 'DELETE', target: `/bucket/${key}` }, 204);
  const switchTo = (value: string): Promise<string> =>
    ask({ method: 'PUT', target: '/bucket?versioning', body: STATUS(value) }, 200);
  await ask({ method: 'PUT', target: '/bucket' }, 200);
  await put('a');
  await switchTo('Enabled');
  const [a1, gone, a2] = [await put('a'), await remove('a'), await put('a')];
  const [b1, b2] = [await put('dir/b'), await remove('dir/b')];
  await switchTo('Suspended');
  const c1 = await put('e');
  await switchTo('Enabled');
  const c2 = await put('e');
  expected.push(
    `V* a ${a2}`,
    `D a ${gone}`,
    `V a ${a1}`,
    'V a null',
    `D* dir/b ${b2}`,
    `V dir/b ${b1}`,
    `V* e ${c2}`,
    `V e ${c1}`,
  );
});
afterAll(() => gateway.close());

describe('ListObjectVersions', () => {
  test('versions and delete markers stand among each other, newest first', async () => {
    const xml = await document('');
    expect(entries(xml)).toEqual(expected);
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<ListVersionsResult xmlns="http:\/\/s3.amazonaws.com\/doc\/2006-03-01\/"><Name>bucket<\/Name><Prefix><\/Prefix><KeyMarker>/,
    );
    expect(xml).toMatch(
      /<DeleteMarker><Key>a<\/Key><VersionId>\w{32}<\/VersionId><IsLatest>false<\/IsLatest><LastModified>[^<]+<\/LastModified><Owner><ID>4{64}<\/ID>/,
    );
  });

  test.each([1, 2, 3, 5, 8])('pages of %i, by NextKeyMarker and NextVersionIdMarker', async (maxKeys) => {
    const shown: string[] = [];
    let markers = '';
    for (let pages = 0; ; pages++) {
      const xml = await document(`&max-keys=${maxKeys}${markers}`);
      shown.push(...entries(xml));
      if (!xml.includes('<IsTruncated>true<')) break;
      const [, key = '', id = ''] =
        /<NextKeyMarker>([^<]*)<\/NextKeyMarker><NextVersionIdMarker>([^<]*)</.exec(xml) ?? [];
      expect(shown.at(-1)).toMatch(new RegExp(` ${key} ${id}$`));
      markers = `&key-marker=${encodeURIComponent(key)}&version-id-marker=${id}`;
      expect(pages).toBeLessThan(10);
    }
    expect(shown).toEqual(expected);
  });

  test('prefix, delimiter and key marker', async () => {
    expect(entries(await document('&prefix=dir%2F'))).toEqual(expected.slice(4, 6));
    const xml = await document('&delimiter=%2F');
    expect(entries(xml)).toEqual(expected.filter((entry) => !entry.includes('dir/')));
    expect(xml).toContain('<CommonPrefixes><Prefix>dir/</Prefix></CommonPrefixes>');
    expect(entries(await document('&key-marker=a'))).toEqual(expected.slice(4));
    expect(entries(await document('&max-keys=0'))).toEqual([]);
  });

  test('a prefix under which all is deleted is none of ListObjects', async () => {
    for (const query of ['delimiter=%2F', 'delimiter=%2F&list-type=2']) {
      const answer = await send(gateway.port, 'owner', { method: 'GET', target: `/bucket?${query}` });
      expect(answer.body).not.toContain('CommonPrefixes');
      expect(Array.from(answer.body.matchAll(/<Key>([^<]*)</g), ([, key]) => key)).toEqual(['a', 'e']);
    }
  });

  test.each(['&version-id-marker=null', '&key-marker=a&version-id-marker=xyz', '&max-keys=-1', '&encoding-type=xml'])(
    '%s is refused',
    async (query) => {
      expect(outcome(await send(gateway.port, 'owner', { method: 'GET', target: `/bucket?versions${query}` }))).toBe(
        '400 InvalidArgument',
      );
    },
  );

  test('a bucket whose objects are all deleted is not empty, and is when its versions are', async () => {
    for (const entry of [...expected].reverse()) {
      expect(outcome(await send(gateway.port, 'owner', { method: 'DELETE', target: '/bucket' }))).toBe(
        '409 BucketNotEmpty',
      );
      const [, key = '', id = ''] = entry.split(' ');
      await ask({ method: 'DELETE', target: `/bucket/${key}?versionId=${id}` }, 204);
    }
    expect(entries(await document(''))).toEqual([]);
    expect(outcome(await send(gateway.port, 'owner', { method: 'DELETE', target: '/bucket' }))).toBe('204');
  });
});
