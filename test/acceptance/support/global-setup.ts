import type { TestProject } from 'vitest/node';
import { type RunningTestbed, type Testbed, startTestbed } from '../../support/testbed.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    testbed: Testbed;
  }
}

let running: RunningTestbed;

/** `TEST_BACKEND` names another backend of the test bed: `gcs`, `gcs-fake`. */
export async function setup(project: TestProject): Promise<void> {
  running = await startTestbed('--backend', process.env['TEST_BACKEND'] ?? 'azure', '--tls-port', '0', '--replicas', '2');
  project.provide('testbed', running.bed);
}

export async function teardown(): Promise<void> {
  await running.stop();
}
