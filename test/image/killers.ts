import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smallSettings } from '../killers/small-gateway.ts';
import { freePort } from '../support/free-port.ts';
import { Container } from './container.ts';

/** Each killer has this long. */
const SECONDS = 5;

interface KillersOptions {
  readonly image: string;
  /** Where the configuration stands in the container. */
  readonly config: string;
  /** Runs tests of this repository with further variables; fails when they do. */
  readonly runTests: (args: readonly string[], environment: Readonly<Record<string, string>>) => Promise<void>;
}

/** The killers of `test/killers` against the image, with the memory that the chart gives. @throws Error */
export async function checkKillers({ image, config, runTests }: KillersOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'image-killers-'));
  const file = join(folder, 'gateway.yaml');
  const [port, adminPort] = [await freePort(), await freePort()];
  writeFileSync(file, smallSettings({ port, adminPort }));
  // The container's user reads it.
  chmodSync(folder, 0o755);
  chmodSync(file, 0o644);
  let container: Container | undefined;
  try {
    container = await Container.start({ image, environment: {}, files: { [config]: file } });
    await container.untilHealthy('/usr/local/bin/node', 'src/healthcheck.mjs');
    const running = JSON.stringify({ port, adminPort, pid: container.pid });
    await runTests(['test/killers'], { KILLERS_GATEWAY: running, KILLERS_SECONDS: String(SECONDS) });
    const peak = container.peakMebibytes();
    const { exitCode, outOfMemory } = await container.stop();
    process.stdout.write(`killers: peak ${peak} MiB, exit code ${exitCode}\n`);
    if (exitCode !== 0 || outOfMemory) throw new Error('the attacked container did not end well');
  } finally {
    await container?.remove();
    rmSync(folder, { recursive: true });
  }
}
