import type { TestProject } from 'vitest/node';
import { type RunningTestbed, type Testbed, startTestbed } from '../../support/gateway/testbed.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    testbed: Testbed;
  }
}

let running: RunningTestbed | undefined;

/** Any S3 service, AWS too, in the place of the test bed: its URL, and keys as AWS's own tools take them. */
function otherService(url: string): Testbed {
  const { AWS_REGION: region = 'us-east-1' } = process.env;
  return {
    endpoints: [url, url],
    tlsEndpoints: [url, url],
    adminEndpoints: [],
    pids: [],
    backend: { kind: 's3' },
    region,
    accounts: [...accountOf('main', 'AWS'), ...accountOf('alt', 'ALT')],
  };
}

/** @param prefix of the variables that hold its keys */
function accountOf(name: string, prefix: string): Testbed['accounts'] {
  const {
    [`${prefix}_ACCESS_KEY_ID`]: accessKey,
    [`${prefix}_SECRET_ACCESS_KEY`]: secretKey,
    [`${prefix}_CANONICAL_ID`]: id = '',
  } = process.env;
  if (accessKey === undefined || secretKey === undefined) return [];
  return [{ name, accessKey, secretKey, id, displayName: name, email: '' }];
}

/**
 * `S3_ENDPOINT` is another service. `TESTBED` is what a test bed printed that runs already; else `TEST_BACKEND` names
 * another backend for our own: `gcs`, `gcs-fake`.
 */
export async function setup(project: TestProject): Promise<void> {
  const { TESTBED: given, S3_ENDPOINT: other } = process.env;
  if (other !== undefined) {
    project.provide('testbed', otherService(other));
    return;
  }
  if (given !== undefined) {
    project.provide('testbed', JSON.parse(given) as Testbed);
    return;
  }
  running = await startTestbed(
    '--backend',
    process.env['TEST_BACKEND'] ?? 'azure',
    '--tls-port',
    '0',
    '--replicas',
    '2',
  );
  project.provide('testbed', running.bed);
}

export async function teardown(): Promise<void> {
  await running?.stop();
}
