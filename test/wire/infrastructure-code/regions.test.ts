import { describe, expect, test } from 'vitest';
import { type Sent, outcome } from '../../support/clients/acl-client.ts';
import type { RawAnswer } from '../../support/clients/raw-http.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';
import { bucket, openScene, ask, outcomeOf, documentOf } from './scene.ts';

openScene();

describe('regions', () => {
  test('a signature for another region is refused, naming the right one, whether the bucket is there or not', async () => {
    for (const method of ['PUT', 'GET', 'HEAD'] as const) {
      const answer = await ask('owner', { method, target: '/infra-nowhere', region: 'eu-west-1' });
      expect(answer.status).toBe(400);
      expect(answer.headers['x-amz-bucket-region']).toBe('us-east-1');
      if (method !== 'HEAD') {
        expect(answer.body).toContain(
          "<Code>AuthorizationHeaderMalformed</Code><Message>The authorization header is malformed; the region 'eu-west-1' is wrong; expecting 'us-east-1'</Message><Region>us-east-1</Region>",
        );
      }
    }
    expect(await outcomeOf({ method: 'HEAD', target: '/infra-nowhere' })).toBe('404');
  });

  describe('elsewhere than in the first', () => {
    const european = sharedGateway({ region: 'eu-west-1' });

    test.each([
      ['', '400 IllegalLocationConstraintException'],
      ['<LocationConstraint>us-east-2</LocationConstraint>', '400 IllegalLocationConstraintException'],
      // Recorded on S3, February 2026: only in us-east-1 it says that there is no such region.
      ['<LocationConstraint>atlantis-1</LocationConstraint>', '400 IllegalLocationConstraintException'],
      ['<LocationConstraint>eu-west-1</LocationConstraint>', '200'],
    ])('"%s"', async (content, expected) => {
      const body = `<CreateBucketConfiguration>${content}</CreateBucketConfiguration>`;
      const sent = { method: 'PUT', target: '/infra-place', region: 'eu-west-1', body };
      expect(await european.as('owner', sent)).toBe(expected);
    });
  });

  describe('any, where the configuration says so', () => {
    const any = sharedGateway({ region: 'westeurope', acceptAnyRegion: true });
    const from = (region: string, sent: Sent): Promise<RawAnswer> => any.ask('owner', { ...sent, region });

    test('clients sign and create for theirs, and are told ours', async () => {
      for (const region of ['us-east-1', 'eu-west-1', 'minio', 'westeurope', 'us-east-1']) {
        const body = `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;
        expect(outcome(await from(region, { method: 'PUT', target: `/infra-any-${region}`, body }))).toMatch(
          /^(?:200|409 BucketAlreadyOwnedByYou)$/,
        );
        expect(documentOf(await from(region, { method: 'GET', target: `/infra-any-${region}?location` }))).toBe(
          '<LocationConstraint>westeurope</LocationConstraint>',
        );
        expect((await from(region, { method: 'GET', target: `/?bucket-region=${region}` })).body).toContain(
          `<Name>infra-any-${region}</Name>`,
        );
      }
    });

    // git-annex signs for the name of the host, other clients for none.
    test.each(['s3.example.com', 'my_region', 'localhost', '', '.'])('also for "%s"', async (region) => {
      expect(outcome(await from(region, { method: 'GET', target: '/' }))).toBe('200');
    });

    test('and create there', async () => {
      const body =
        '<CreateBucketConfiguration><LocationConstraint>s3.my_host.example</LocationConstraint></CreateBucketConfiguration>';
      expect(outcome(await from('us-east-1', { method: 'PUT', target: '/infra-host', body }))).toBe('200');
    });

    test('what is wrong otherwise is refused as ever', async () => {
      const wrong = { method: 'GET', target: '/', region: 'us-east-1', secretKey: 'wrong' };
      expect(await any.as('owner', wrong)).toBe('403 SignatureDoesNotMatch');
      expect(outcome(await from('us east', { method: 'GET', target: '/' }))).toBe('400 AuthorizationHeaderMalformed');
      expect(outcome(await from('x'.repeat(65), { method: 'GET', target: '/' }))).toBe(
        '400 AuthorizationHeaderMalformed',
      );
    });
  });

  test.each([
    ['', '200'],
    ['us-east-1', '200'],
    ['eu-west-1', '409 BucketAlreadyOwnedByYou'],
  ])('a bucket made again in "%s": %s', async (location, expected) => {
    const target = `/infra-again-${location}x`;
    const body = `<CreateBucketConfiguration>${location === '' ? '' : `<LocationConstraint>${location}</LocationConstraint>`}</CreateBucketConfiguration>`;
    expect(await outcomeOf({ method: 'PUT', target, body })).toBe('200');
    expect(await outcomeOf({ method: 'PUT', target, body })).toBe(expected);
  });

  test('ListBuckets of another region is empty', async () => {
    expect((await ask('owner', { method: 'GET', target: '/?bucket-region=us-east-1' })).body).toContain(
      `<Name>${bucket}</Name>`,
    );
    expect((await ask('owner', { method: 'GET', target: '/?bucket-region=eu-west-1' })).body).not.toContain('<Name>');
  });
});
