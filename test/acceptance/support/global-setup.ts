import type { TestProject } from 'vitest/node';
import { type RunningTestbed, type Testbed, startTestbed } from '../../support/testbed.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    testbed: Testbed;
  }
}

let running: RunningTestbed;

export async function setup(project: TestProject): Promise<void> {
  running = await startTestbed('--backend', 'azure', '--tls-port', '0', '--replicas', '2');
  project.provide('testbed', running.bed);
}

export async function teardown(): Promise<void> {
  await running.stop();
}
