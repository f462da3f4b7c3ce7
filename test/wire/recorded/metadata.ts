import { outcome } from '../../support/clients/acl-client.ts';
import { type Fields, exactly, formRequest, signedV4 } from '../../support/clients/post-form.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { element, type Answer, type World } from '../spec/world.ts';
import { RECORDED, type RecordedRow } from './row.ts';

const META = 'x-amz-meta-a';

/** Sends a form with these fields. Conditions absent: just these fields. */
async function post(world: World, bucket: string, fields: Fields, conditions?: readonly unknown[]): Promise<Answer> {
  const all: Fields = [['key', 'form'], ...fields];
  const signed = signedV4(all, conditions ?? exactly(all, bucket));
  const request = formRequest(bucket, { fields: signed, file: 'ten bytes!' });
  const answer = await roundTrip(world.gateway.port, request, 'POST');
  return { ...answer, outcome: outcome(answer) };
}

/** What is told of a metadata value that was sent so. */
const HEADER_VALUES: readonly (readonly [what: string, sent: string, told: string, source?: string])[] = [
  ['an encoded word (Q) of ASCII', '=?UTF-8?Q?actually-ascii?=', 'actually-ascii'],
  ['an encoded word (B) of ASCII', '=?UTF-8?B?YWJj?=', 'abc'],
  ['an encoded word in small letters', '=?utf-8?q?a=5Fb_c?=', 'a_b c', 'RFC 2047'],
  ['two encoded words', 'x =?UTF-8?Q?a?= =?UTF-8?B?YWJj?= y', 'x aabc y', 'RFC 2047 6.2'],
  [
    'an encoded word of mostly ASCII',
    '=?UTF-8?Q?test=5F=E2=80=94=5Ffile%E2%80%94=5F=C3=A9=5F2=3F.pdf?=',
    '=?UTF-8?Q?test=5F=E2=80=94=5Ffile%E2%80%94=5F=C3=A9=5F2=3F.pdf?=',
  ],
  ['an encoded word of control characters', '=?UTF-8?B?AAECAw==?=', '=?UTF-8?B?AAECAw==?='],
  ['UTF-8, half of it ASCII', '\u00c4M\u00c4Z\u00d5\u00d1 S3', '=?UTF-8?Q?=C3=84M=C3=84Z=C3=95=C3=91_S3?='],
  ['UTF-8, none of it ASCII', '\ufffd'.repeat(7), '=?UTF-8?B?77+977+977+977+977+977+977+9?='],
  ['what is no word, for lack of an end', '=?UTF-8?B?YWJj', '=?UTF-8?B?YWJj', 'RFC 2047'],
  ['a word of a charset that is not known', '=?UTF-7?Q?+AGE-?=', '=?UTF-7?Q?+AGE-?=', 'RFC 2047'],
  [
    'a word that hides a line end',
    '=?UTF-8?Q?a=0D=0Ab?=',
    '=?UTF-8?Q?a=0D=0Ab?=',
    'nothing that ends a header line is told',
  ],
];

const FORM_VALUES: readonly (readonly [what: string, sent: string, told: string, source?: string])[] = [
  ['an encoded word (Q)', '=?UTF-8?Q?actually-ascii?=', '=?UTF-8?Q?actually-ascii?='],
  ['an encoded word (B)', '=?UTF-8?B?YWJj?=', '=?UTF-8?B?YWJj?='],
  ['control characters', '\0\x01\x02\x03\x04', '=?UTF-8?B?AAECAwQ=?='],
  ['two lines', 'a\r\nset-cookie: b', '=?UTF-8?Q?a=0D=0Aset-cookie:_b?=', 'as other control characters'],
  ['DEL', 'a\x7f', '=?UTF-8?B?YX8=?=', 'as other control characters'],
  [
    'text beyond ASCII',
    'test_\u2014_file%E2%80%94_\u00e9_2\u{1f451}.pdf',
    '=?UTF-8?Q?test=5F=E2=80=94=5Ffile%E2%80%94=5F=C3=A9=5F2=F0=9F=91=91.pdf?=',
  ],
];

export const METADATA: readonly RecordedRow[] = [
  ...HEADER_VALUES.map(([what, sent, told, source = RECORDED]) => ({
    what: `metadata in a header: ${what}`,
    source,
    ask: async (world: World, bucket: string) => {
      await world.must('PUT', `/${bucket}/put`, { headers: { [META]: sent } });
      const upload = await world.upload(`/${bucket}/upload`, { [META]: sent });
      const part = await world.must('PUT', `${upload}&partNumber=1`, { body: 'bytes' });
      await world.complete(upload, [part.headers['etag'] ?? '']);
      await world.copy(`/${bucket}/copy`, `${bucket}/put`, { 'x-amz-metadata-directive': 'REPLACE', [META]: sent });
      const keys = ['put', 'upload', 'copy'];
      return Promise.all(keys.map(async (key) => (await world.ask('HEAD', `/${bucket}/${key}`)).headers[META]));
    },
    expected: [told, told, told],
  })),
  ...FORM_VALUES.map(([what, sent, told, source = RECORDED]) => ({
    what: `metadata in a form: ${what}`,
    source,
    ask: async (world: World, bucket: string) => {
      const answer = await post(world, bucket, [[META, sent]]);
      const copied = await world.copy(`/${bucket}/copy`, `${bucket}/form`);
      const keys = ['form', 'copy'];
      const read = await Promise.all(keys.map(async (key) => (await world.ask('HEAD', `/${bucket}/${key}`)).headers));
      return [answer.outcome, copied.outcome, ...read.map((headers) => [headers[META], headers['set-cookie']])];
    },
    expected: ['204', '200', [told, undefined], [told, undefined]],
  })),
  {
    what: 'a form with a policy that nobody signed',
    source: RECORDED,
    ask: async (world, bucket) => {
      const fields: Fields = [
        ['key', 'form'],
        ['policy', Buffer.from('{}').toString('base64')],
      ];
      const answer = await roundTrip(world.gateway.port, formRequest(bucket, { fields, file: 'x' }), 'POST');
      return outcome(answer);
    },
    expected: '403 AccessDenied',
  },
  {
    what: 'a form whose policy has a range that is no number',
    source: RECORDED,
    ask: async (world, bucket) => {
      const conditions = [...exactly([['key', 'form']], bucket), ['content-length-range', 'test', '10']];
      const answer = await post(world, bucket, [], conditions);
      return [answer.outcome, element(answer.body, 'Message').replaceAll('&quot;', '"')];
    },
    expected: [
      '403 AccessDenied',
      'Invalid according to Policy: Policy Condition failed: ["content-length-range", "test", "10"]',
    ],
  },
  ...(
    [
      ['<InvalidXmlTagging></InvalidXmlTagging>', '204', []],
      ['<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>', '204', ['a=b']],
      ['not-xml', '400 MalformedXML', undefined],
    ] as const
  ).map(([tagging, told, tags]) => ({
    what: `a form with the tags ${tagging}`,
    source: RECORDED,
    ask: async (world: World, bucket: string) => [
      (await post(world, bucket, [['tagging', tagging]])).outcome,
      tags && (await world.tags(`/${bucket}/form`)),
    ],
    expected: [told, tags],
  })),
  ...(
    [
      ['<Tagging/>', RECORDED],
      ['<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></Tagging>', RECORDED],
      ['<Tagging><TagSet/></Tagging>', RECORDED],
    ] as const
  ).map(([body, source]) => ({
    what: `tags of an object and of a bucket, replaced by ${body}`,
    source,
    ask: async (world: World, bucket: string) => {
      await world.put(`/${bucket}/key`, 'bytes', { 'x-amz-tagging': 'a=1' });
      const old = '<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>';
      await world.must('PUT', `/${bucket}?tagging`, { body: old });
      return [
        await world.outcome('PUT', `/${bucket}/key?tagging`, { body }),
        await world.tags(`/${bucket}/key`),
        await world.outcome('PUT', `/${bucket}?tagging`, { body }),
        await world.outcome('GET', `/${bucket}?tagging`),
      ];
    },
    expected: ['200', [], '204', '404 NoSuchTagSet'],
  })),
  ...(
    [
      ['key1=val1,key2=val2', '400 InvalidArgument', RECORDED],
      ['key1=val1&key1=val2', '400 InvalidArgument', RECORDED],
      ['key1=val1%2Ckey2', '400 InvalidTag', 'a value that no tag has, as in a document'],
    ] as const
  ).map(([tagging, told, source]) => ({
    what: `the tags ${tagging}`,
    source,
    ask: (world: World, bucket: string) =>
      world.outcome('PUT', `/${bucket}/key`, { headers: { 'x-amz-tagging': tagging } }),
    expected: told,
  })),
];
