import { createHash } from 'node:crypto';
import { contentMd5 } from '../../support/clients/acl-client.ts';
import { element, type World } from '../spec/world.ts';
import { RECORDED, type RecordedRow } from './row.ts';

const BODY = 'bytes';
const MD5 = createHash('md5').update(BODY).digest('hex');
const OTHER = '0'.repeat(32);

/** Writes that heed `If-Match`, on an object of `BODY`. @returns status and code */
const WRITES: Readonly<Record<string, (world: World, bucket: string, ifMatch: string) => Promise<string>>> = {
  PutObject: (world, bucket, ifMatch) =>
    world.outcome('PUT', `/${bucket}/key`, { body: 'new', headers: { 'if-match': ifMatch } }),
  CopyObject: async (world, bucket, ifMatch) => {
    await world.put(`/${bucket}/source`);
    return (await world.copy(`/${bucket}/key`, `${bucket}/source`, { 'if-match': ifMatch })).outcome;
  },
  CompleteMultipartUpload: async (world, bucket, ifMatch) => {
    const upload = await world.upload(`/${bucket}/key`);
    const { headers } = await world.must('PUT', `${upload}&partNumber=1`, { body: BODY });
    const body = listOf(headers['etag'] ?? '');
    return world.outcome('POST', upload, { body, headers: { 'if-match': ifMatch } });
  },
  DeleteObject: (world, bucket, ifMatch) =>
    world.outcome('DELETE', `/${bucket}/key`, { headers: { 'if-match': ifMatch } }),
  DeleteObjects: async (world, bucket, ifMatch) => {
    const body = `<Delete><Object><Key>key</Key><ETag>${ifMatch}</ETag></Object></Delete>`;
    const answer = await world.must('POST', `/${bucket}?delete`, {
      body,
      headers: { 'content-md5': contentMd5(body) },
    });
    return element(answer.body, 'Code') || 'Deleted';
  },
};

function listOf(etag: string): string {
  return `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
}

/** Conditions of writes, and entity tags as clients spell them. */
export const CONDITIONS: readonly RecordedRow[] = [
  ...Object.entries(WRITES).flatMap(([name, write]) =>
    (
      [
        [`"${OTHER}", "${MD5}"`, /PreconditionFailed$/, 'told of S3: the value is one tag; the same for all writes'],
        [`"${MD5}", "${MD5}"`, /PreconditionFailed$/, 'the same'],
        [`W/"${MD5}"`, /PreconditionFailed$/, 'RFC 9110 13.1.1: If-Match compares strongly'],
        [MD5, /^(?:20\d|Deleted)$/, RECORDED],
      ] as const
    ).map(([ifMatch, told, source]) => ({
      what: `${name} with If-Match: ${ifMatch.replaceAll(MD5, 'md5')}`,
      source,
      ask: async (world: World, bucket: string) => {
        await world.put(`/${bucket}/key`, BODY);
        return told.test(await write(world, bucket, ifMatch));
      },
      expected: true,
    })),
  ),
  {
    what: 'GET with If-Match: a list',
    source: 'RFC 9110 13.1.1; nothing else is told of S3',
    ask: async (world, bucket) => {
      await world.put(`/${bucket}/key`, BODY);
      return world.outcome('GET', `/${bucket}/key`, { headers: { 'if-match': `"${OTHER}", "${MD5}"` } });
    },
    expected: '200',
  },
  ...[
    `"${MD5}"`,
    MD5,
    `&quot;${MD5}&quot;`,
    ` "${MD5}"\n`,
    `\n      ${MD5}\n    `,
    `""${MD5}""`,
    `"&quot;${MD5}&quot;"`,
  ].map((etag) => ({
    what: `Complete with the ETag of a part: ${JSON.stringify(etag.replace(MD5, 'md5'))}`,
    source: 'told by several gateways that were held against S3: quotes and blanks around it do not count',
    ask: async (world: World, bucket: string) => {
      const upload = await world.upload(`/${bucket}/key`);
      await world.must('PUT', `${upload}&partNumber=1`, { body: BODY });
      const first = await world.ask('POST', upload, { body: listOf(etag) });
      const again = await world.ask('POST', upload, { body: listOf(`"${MD5}"`) });
      return [first.outcome, again.outcome, element(first.body, 'ETag') === element(again.body, 'ETag')];
    },
    expected: ['200', '200', true],
  })),
];
