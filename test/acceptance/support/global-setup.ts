import type { TestProject } from 'vitest/node';
import { type RunningTestbed, type Testbed, startTestbed } from '../../support/gateway/testbed.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    testbed: Testbed;
  }
}

let running: RunningTestbed | undefined;

/**
 * `TESTBED` is what a test bed printed that runs already; else `TEST_BACKEND` names another backend for our own: `gcs`,
 * `gcs-fake`.
 */
export async function setup(project: TestProject): Promise<void> {
  const given = process.env['TESTBED'];
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
