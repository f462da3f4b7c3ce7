import fc from 'fast-check';
import { anyProgram, type ProgramOptions } from './commands.ts';
import { Difference, runProgram } from './run.ts';
import type { Server } from './server.ts';

interface CheckOptions extends Omit<ProgramOptions, 'servers'> {
  readonly runs: number;
  /** For programs other than those of another check with the same seed. */
  readonly batch?: number;
}

/**
 * Runs random programs, each on one of the servers, beside the reference.
 * @throws Error that tells the shortest program found whose answers differ, as a list of S3 calls
 */
export async function checkPrograms(
  servers: readonly Server[],
  { runs, batch = 0, ...options }: CheckOptions,
): Promise<void> {
  const programs = anyProgram({ servers: servers.length, ...options });
  const property = fc.asyncProperty(programs, async (program) => {
    const server = servers[program.server];
    if (server !== undefined) await runProgram(program, server);
  });
  const { failed, errorInstance, seed, counterexamplePath, numShrinks } = await fc.check(property, {
    numRuns: runs,
    plugins: [fc.unbiased()],
    seed: seedOf(batch),
  });
  if (!failed) return;
  if (!(errorInstance instanceof Difference)) throw errorInstance;
  throw new Error(
    `seed ${seed}, path ${counterexamplePath ?? ''}, shrunk ${numShrinks} times\n${errorInstance.message}`,
  );
}

function seedOf(batch: number): number {
  return (fc.readConfigureGlobal().seed ?? 0) + batch;
}
