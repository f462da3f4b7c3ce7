import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../../../src/protocol/operation-table.ts';
import { type Answer, Gateway, elements } from '../../multipart/gateway.ts';

function tagging(...pairs: [key: string, value: string][]): string {
  const tags = pairs.map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`).join('');
  return `<Tagging><TagSet>${tags}</TagSet></Tagging>`;
}

function send(
  gateway: Gateway,
  name: OperationName,
  more: Partial<Parameters<Gateway['send']>[1]> = {},
): Promise<Answer> {
  return gateway.send(name, { query: 'tagging', ...more });
}

describe('tags of a bucket', () => {
  it('are none at first; are set, replaced and deleted', async () => {
    const gateway = await Gateway.open();
    expect((await send(gateway, 'GetBucketTagging')).status).toBe('NoSuchTagSet');
    expect((await send(gateway, 'PutBucketTagging', { body: tagging(['b', '2'], ['a', '1']) })).status).toBe(204);
    const answer = await send(gateway, 'GetBucketTagging');
    expect([answer.status, elements(answer.xml, 'Key'), elements(answer.xml, 'Value')]).toEqual([
      200,
      ['a', 'b'],
      ['1', '2'],
    ]);
    expect((await send(gateway, 'PutBucketTagging', { body: tagging(['c', '3']) })).status).toBe(204);
    expect(elements((await send(gateway, 'GetBucketTagging')).xml, 'Key')).toEqual(['c']);
    expect((await send(gateway, 'DeleteBucketTagging')).status).toBe(204);
    expect((await send(gateway, 'GetBucketTagging')).status).toBe('NoSuchTagSet');
    expect((await send(gateway, 'DeleteBucketTagging')).status).toBe(204);
  });

  it.each<[OperationName, Partial<Parameters<Gateway['send']>[1]>, string]>([
    ['PutBucketTagging', { body: '<Tags/>' }, 'MalformedXML'],
    ['PutBucketTagging', { body: tagging(['a', '#']) }, 'InvalidTag'],
    [
      'PutBucketTagging',
      { body: tagging(...Array.from({ length: 51 }, (_, i): [string, string] => [`k${i}`, ''])) },
      'BadRequest',
    ],
    ['PutBucketTagging', { body: tagging(['a', '1']), anonymous: true }, 'AccessDenied'],
    ['GetBucketTagging', { anonymous: true }, 'AccessDenied'],
    ['DeleteBucketTagging', { anonymous: true }, 'AccessDenied'],
    ['DeleteBucketTagging', { headers: { 'x-amz-expected-bucket-owner': '000000000000' } }, 'AccessDenied'],
  ])('%s, refused', async (name, sent, code) => {
    const gateway = await Gateway.open();
    await send(gateway, 'PutBucketTagging', { body: tagging(['kept', '1']) });
    expect((await send(gateway, name, sent)).status).toBe(code);
    expect(elements((await send(gateway, 'GetBucketTagging')).xml, 'Key')).toEqual(['kept']);
  });
});
