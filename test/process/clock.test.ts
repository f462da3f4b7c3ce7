import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGcsDouble } from '../../adapters/doubles/index.ts';
import { freePort } from '../support/free-port.ts';
import { roundTrip } from '../support/clients/raw-http.ts';
import { signedHead } from '../support/clients/sign-raw.ts';
import { portOf, startCommand } from '../support/gateway/start-command.ts';

const CLOCK = pathToFileURL(resolve(import.meta.dirname, '../histories/skewed-clock.mjs')).href;
const { start, configFile, folder } = startCommand();
const clockFile = join(folder, 'clock');

let double: Awaited<ReturnType<typeof startGcsDouble>>;
beforeAll(async () => {
  double = await startGcsDouble();
});
afterAll(() => double.stop());

test.each([600_000, -600_000])(
  'a clock that is %d ms off: not ready, no changes, reads go on, until it is right; and again when it steps',
  async (skew) => {
    writeFileSync(clockFile, String(skew));
    const adminPort = await freePort();
    const backends = {
      store: {
        kind: 'gcs',
        owner: 'main',
        endpoint: double.endpoint,
        bucketPrefix: '',
        credential: { kind: 'anonymous' },
      },
    };
    const config = configFile('clock.yaml', { backends, admin: { enabled: true, port: adminPort } });
    const started = start(['--config', config], { NODE_OPTIONS: `--import=${CLOCK}`, HISTORIES_CLOCK_FILE: clockFile });
    const port = await portOf(started);
    const readiness = async (): Promise<string> => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).text();
    const put = async (): Promise<number> =>
      (
        await roundTrip(
          port,
          signedHead({ method: 'PUT', target: `/bucket-${String(skew)}`, headers: { 'content-length': '0' } }),
        )
      ).status;
    const list = async (): Promise<number> =>
      (await roundTrip(port, signedHead({ method: 'GET', target: '/' }))).status;

    const side = skew > 0 ? 'ahead' : 'behind';
    expect(await readiness()).toMatch(new RegExp(`^the clock is (?:599|600) s ${side} of the backends'`));
    expect(started.output()).toContain('the clock of this machine and that of the backend are too far apart');
    expect(await put()).toBe(503);
    expect(await list()).toBe(200);

    writeFileSync(clockFile, '0');
    // Probes and reads are answers enough to learn that it is right again.
    await expect.poll(readiness, { timeout: 60_000, interval: 500 }).toBe('ready\n');
    expect(await put()).toBe(200);

    writeFileSync(clockFile, String(-skew));
    await expect.poll(readiness, { timeout: 60_000, interval: 500 }).toContain(side === 'ahead' ? 'behind' : 'ahead');
    expect(await put()).toBe(503);
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    expect(metrics).toMatch(
      new RegExp(`s3gw_clock_skew_seconds\\{.*backend="store".*\\} ${skew > 0 ? '-' : ''}(?:599|600)`),
    );
  },
  60_000,
);
