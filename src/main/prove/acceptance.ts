import { performance } from 'node:perf_hooks';
import { wordsOf } from '../start-error.ts';
import { ACCEPTANCE_STEPS, type Stage, UnexpectedAnswer } from './acceptance-steps.ts';
import type { S3Client } from './s3-client.ts';

export interface StepResult {
  readonly step: string;
  readonly verdict: 'as on S3' | 'different' | 'not reached';
  /** What was different. */
  readonly seen?: string;
  readonly milliseconds?: number;
}

interface AcceptanceRun {
  readonly bucket: string;
  /** Starts the gateway, anew when it runs. */
  readonly start: () => Promise<S3Client>;
  readonly signal: AbortSignal;
}

/**
 * What clients do most, through the gateway, one step after the other: a step that fails is told and the next is tried.
 * In the middle the gateway is started anew.
 */
export async function runAcceptance({ bucket, start, signal }: AcceptanceRun): Promise<StepResult[]> {
  const stage: Stage = { bucket, client: await start(), restart: start, kept: new Map() };
  const results: StepResult[] = [];
  let reachable = true;
  for (const { step, run, isNeeded } of ACCEPTANCE_STEPS) {
    signal.throwIfAborted();
    if (!reachable) {
      results.push({ step, verdict: 'not reached' });
      continue;
    }
    const began = performance.now();
    const seen = await run(stage).then(() => undefined, reasonOf);
    const milliseconds = Math.round(performance.now() - began);
    results.push(
      seen === undefined ? { step, verdict: 'as on S3', milliseconds } : { step, verdict: 'different', seen },
    );
    if (seen !== undefined && isNeeded === true) reachable = false;
  }
  return results;
}

function reasonOf(error: unknown): string {
  return error instanceof UnexpectedAnswer ? error.message : wordsOf(error);
}
