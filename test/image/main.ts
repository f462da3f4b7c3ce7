import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { certificateFiles } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { parseOptions } from '../testbed/options.ts';
import { startBackend } from '../testbed/backend.ts';
import { describeAccounts } from '../testbed/main.ts';
import { buildImage, insideImage } from './build.ts';
import { has, run } from './command.ts';
import { Container, MEMORY_MIB } from './container.ts';
import { checkKillers } from './killers.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const IMAGE = 'localhost/s3-cloud-gateway:test';
const PACKAGES_ARM = 'localhost/s3-cloud-gateway-packages:arm64';
const CONFIG = '/etc/s3-cloud-gateway/gateway.yaml';
const REPLICAS = 2;
/** Machine of an ELF file, at byte 18: AArch64. */
const AARCH64 = 0xb7;

/** Builds the image, looks into it, and runs acceptance tests and killers against confined containers of it. */
export async function main(): Promise<void> {
  const missing = await missingTools();
  if (missing.length > 0) {
    process.stderr.write(
      `test:image needs ${missing.join(', ')} (Debian: apt-get install buildah podman runc mmdebstrap), as root\n`,
    );
    process.exitCode = 1;
    return;
  }
  await step('build', () => buildImage({ tag: IMAGE }));
  await step('contents', () => insideImage(IMAGE, checkContents));
  await step('packages for arm64', checkArm);
  process.stdout.write(
    `size ${Math.round(Number(await run('podman', ['image', 'inspect', '--format', '{{.Size}}', IMAGE])) / 1e6)} MB\n`,
  );
  await step('containers', checkContainers);
  await step('killers', () => checkKillers({ image: IMAGE, config: CONFIG, runTests }));
}

async function missingTools(): Promise<string[]> {
  const tools = ['buildah', 'podman', 'runc', 'mmdebstrap'];
  const found = await Promise.all(tools.map((tool) => has(tool)));
  return tools.filter((_, index) => found[index] !== true);
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const started = Date.now();
  const result = await work();
  process.stdout.write(`${name}: good after ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
  return result;
}

function require(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

function checkContents(root: string): void {
  const app = join(root, 'app');
  const allowed = ['LICENSE', 'adapters', 'config', 'node_modules', 'package.json', 'src'];
  require(readdirSync(app).sort().join() ===
    allowed.sort().join(), `unexpected files in /app: ${readdirSync(app).join(' ')}`);
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const development = Object.keys(packages).filter(
    (name) => packages[name]?.dev === true && existsSync(join(app, name)),
  );
  require(development.length === 0, `development packages in the image: ${development.join(' ')}`);
}

async function checkArm(): Promise<void> {
  await buildImage({ tag: PACKAGES_ARM, target: 'packages', architecture: 'arm64' });
  await insideImage(PACKAGES_ARM, (root) => {
    const node = readFileSync(join(root, 'usr/local/bin/gateway-node')).subarray(0, 20);
    require(node.readUInt16LE(18) === AARCH64, 'Node is for another machine');
    const natives = readdirSync(join(root, 'app/node_modules'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.node'),
    );
    require(natives.length > 0, 'no native package came along');
    const strangers = natives.filter(
      (name) => readFileSync(join(root, 'app/node_modules', name)).readUInt16LE(18) !== AARCH64,
    );
    require(strangers.length === 0, `for another machine: ${strangers.join(' ')}`);
  });
}

async function checkContainers(): Promise<void> {
  const certificate = await certificateFiles();
  // The container's user reads them.
  chmodSync(certificate.folder, 0o755);
  chmodSync(certificate.keyFile, 0o644);
  const backend = await startBackend(parseOptions(['--backend-tls', 'off']));
  const containers: Container[] = [];
  try {
    const replicas: { http: string; https: string }[] = [];
    for (let index = 0; index < REPLICAS; index += 1) {
      const [http, https, admin] = [await freePort(), await freePort(), await freePort()];
      const tls = { certFile: '/tls/cert.pem', keyFile: '/tls/key.pem' };
      const listeners = [
        { host: '127.0.0.1', port: http },
        { host: '127.0.0.1', port: https, tls },
      ];
      const environment = {
        ...backend.settings,
        S3GW_LISTENERS: JSON.stringify(listeners),
        S3GW_ADMIN__ENABLED: 'true',
        S3GW_ADMIN__PORT: String(admin),
      };
      const files = {
        [CONFIG]: join(ROOT, 'config/testbed.yaml'),
        '/tls/cert.pem': certificate.certFile,
        '/tls/key.pem': certificate.keyFile,
      };
      containers.push(await Container.start({ image: IMAGE, environment, files }));
      replicas.push({ http: `http://127.0.0.1:${http}`, https: `https://127.0.0.1:${https}` });
    }
    await Promise.all(
      containers.map((container) => container.untilHealthy('/usr/local/bin/node', 'src/healthcheck.mjs')),
    );
    containers.forEach(checkConfinement);
    const bed = {
      endpoints: replicas.map(({ http }) => http),
      tlsEndpoints: replicas.map(({ https }) => https),
      pids: containers.map(({ pid }) => pid),
      backend: backend.description,
      ...describeAccounts(),
    };
    await acceptance(JSON.stringify(bed));
    for (const container of containers) {
      const peak = container.peakMebibytes();
      const { exitCode, outOfMemory } = await container.stop();
      process.stdout.write(
        `peak ${peak} of ${MEMORY_MIB} MiB, exit code ${exitCode}${outOfMemory ? ', OUT OF MEMORY' : ''}\n`,
      );
      require(exitCode === 0 && !outOfMemory, 'a container did not end well');
    }
  } finally {
    await Promise.all(containers.map((container) => container.remove()));
    await backend.stop();
    rmSync(certificate.folder, { recursive: true });
  }
}

function checkConfinement(container: Container): void {
  require(container.status('Uid').startsWith('65532\t65532'), `runs as ${container.status('Uid')}`);
  require(/^0+$/.test(container.status('CapEff')) &&
    /^0+$/.test(container.status('CapBnd')), `has capabilities ${container.status('CapEff')}`);
  require(container.status('NoNewPrivs') === '1', 'may gain privileges');
  require(container.rootMount().split(',')[0] === 'ro', `its root is mounted ${container.rootMount()}`);
  require(container
    .commandLine()
    .includes(`--max-old-space-size=${MEMORY_MIB / 2}`), `its heap does not fit: ${container.commandLine()}`);
}

/** The tests of `test/acceptance`, as `npm test` runs them, against these endpoints. */
function acceptance(bed: string): Promise<void> {
  return runTests(['--project', 'acceptance'], { TESTBED: bed });
}

async function runTests(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<void> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  require(code === 0, `the tests failed: ${args.join(' ')}`);
}
