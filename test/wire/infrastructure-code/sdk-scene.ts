import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import { sdkClient } from '../../support/clients/sdk-client.ts';
import { openScene } from './scene.ts';

/** The AWS SDK as the owner. */
export let client: S3Client;

/** The scene of `scene.ts` for tests that speak through the AWS SDK; to be called once by each file of tests. */
export function openSdkScene(headers?: Readonly<Record<string, string>>): void {
  const shared = openScene(headers);
  beforeAll(() => {
    client = sdkClient(shared.gateway.port);
  });
  afterAll(() => client.destroy());
}
