import { describe, expect, test } from 'vitest';
import type { Sent } from '../../support/clients/acl-client.ts';
import { bucket, openScene, turnTo, ask, outcomeOf, get } from './scene.ts';

openScene();

describe('CreateBucket', () => {
  const create = (content: string, name = `${bucket}-new`): Sent => ({
    method: 'PUT',
    target: `/${name}`,
    body: `<CreateBucketConfiguration>${content}</CreateBucketConfiguration>`,
  });

  test('with tags, which the bucket has from its first moment', async () => {
    const answer = await ask(
      'owner',
      create('<Tags><Tag><Key>b</Key><Value>2</Value></Tag><Tag><Key>a</Key><Value/></Tag></Tags>'),
    );
    expect(answer.status).toBe(200);
    expect(answer.headers['x-amz-bucket-arn']).toBe(`arn:aws:s3:::${bucket}-new`);
    turnTo(`${bucket}-new`);
    expect(await get('tagging')).toBe(
      '<Tagging><TagSet><Tag><Key>a</Key><Value></Value></Tag><Tag><Key>b</Key><Value>2</Value></Tag></TagSet></Tagging>',
    );
    expect(await outcomeOf(create('<Tags><Tag><Key>c</Key><Value/></Tag></Tags>', bucket))).toBe(
      '409 BucketAlreadyOwnedByYou',
    );
    expect(await get('tagging')).not.toContain('<Key>c</Key>');
    expect(await outcomeOf({ method: 'PUT', target: `/${bucket}` })).toBe('200');
  });

  test.each([
    ['<LocationConstraint>us-east-1</LocationConstraint>', '200'],
    ['<LocationConstraint>eu-west-1</LocationConstraint>', '200'],
    ['<LocationConstraint>nowhere</LocationConstraint>', '400 InvalidLocationConstraint'],
    ['<Tags><Tag><Key>a</Key><Value/></Tag><Tag><Key>a</Key><Value/></Tag></Tags>', '400 InvalidTag'],
    ['<Tags><Tag><Key>aws:a</Key><Value/></Tag></Tags>', '400 InvalidTag'],
    ['<Tags><Tag><Key>a</Key></Tag></Tags>', '400 MalformedXML'],
    ['<Location><Name>use1-az4</Name><Type>AvailabilityZone</Type></Location>', '501 NotImplemented'],
  ])('with %s', async (content, expected) => {
    expect(await outcomeOf(create(content))).toBe(expected);
    expect(await outcomeOf({ method: 'HEAD', target: `/${bucket}-new` })).toBe(expected === '200' ? '200' : '404');
  });

  test('HeadBucket names region and ARN', async () => {
    const { headers } = await ask('owner', { method: 'HEAD', target: `/${bucket}` });
    expect(headers).toMatchObject({ 'x-amz-bucket-region': 'us-east-1', 'x-amz-bucket-arn': `arn:aws:s3:::${bucket}` });
  });
});
