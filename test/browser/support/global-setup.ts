import type { TestProject } from 'vitest/node';
import { findChromium } from './find-chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the browser; empty: there is none. */
    chromium: string;
  }
}

export function setup(project: TestProject): void {
  const chromium = findChromium();
  if (chromium === undefined) {
    process.stderr.write(
      "BROWSER TESTS SKIPPED: no Chromium here (apt-get install chromium, or CHROMIUM=/path/to/it): the inspector's page is NOT tested.\n",
    );
  }
  project.provide('chromium', chromium ?? '');
}
