import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { RawConnection } from '../support/clients/raw-http.ts';
import { findNginx, nginxConfiguration } from '../replicas/nginx.ts';

const READY_MS = 10_000;

/** A request in the access log of a proxy. */
interface Logged {
  readonly target: string;
  readonly status: number;
  /** Whether it went on to the gateway. */
  readonly forwarded: boolean;
}

export interface Proxy {
  readonly name: string;
  readonly port: number;
  /** Everything logged so far, in its order. */
  logged(): readonly Logged[];
  stop(): Promise<void>;
}

interface Kind {
  readonly package: string;
  find(): string | undefined;
  configuration(port: number, gateway: URL, folder: string): string;
  arguments(folder: string, file: string): readonly string[];
}

/**
 * Both write `log target status server`, with a dash or `<NOSRV>` for none, and reach the gateway over connections that
 * they share among clients.
 */
export const PROXIES: Readonly<Record<string, Kind>> = {
  nginx: {
    package: 'nginx-light',
    find: findNginx,
    configuration: (port, gateway, folder) => {
      const usual = nginxConfiguration(port, [gateway.origin], folder);
      const logging = usual.replace(
        'access_log off;',
        `log_format told escape=json 'log $request_uri $status $upstream_addr';\n  access_log ${folder}/log told;`,
      );
      if (logging === usual) throw new Error('the configuration of nginx has no place for a log');
      return logging;
    },
    arguments: (folder, file) => ['-p', folder, '-c', file, '-e', join(folder, 'error.log')],
  },
  haproxy: {
    package: 'haproxy',
    find: () => ['haproxy', '/usr/sbin/haproxy'].find((candidate) => answersVersion(candidate)),
    configuration: (port, gateway) => `global
  log stdout format raw local0
defaults
  mode http
  log global
  timeout connect 2s
  timeout client 10s
  timeout server 10s
  http-reuse always
  log-format "log %HU %ST %s"
frontend front
  bind 127.0.0.1:${port}
  default_backend gateway
backend gateway
  server gateway ${gateway.host}${gateway.protocol === 'https:' ? ' ssl verify none' : ''}
`,
    arguments: (_folder, file) => ['-db', '-f', file],
  },
};

function answersVersion(candidate: string): boolean {
  try {
    execFileSync(candidate, ['-v'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

/** A real proxy before a gateway on loopback. @throws when it does not start */
export async function startProxy(name: string, kind: Kind, gateway: URL): Promise<Proxy> {
  const binary = kind.find();
  if (binary === undefined) throw new Error(`${name} is not there (Debian: apt-get install ${kind.package})`);
  const folder = mkdtempSync(join(tmpdir(), 'smuggling-'));
  const port = await freePort();
  const [file, log] = [join(folder, 'proxy.conf'), join(folder, 'log')];
  writeFileSync(file, kind.configuration(port, gateway, folder));
  const output = openSync(log, 'a');
  const child = spawn(binary, kind.arguments(folder, file), { stdio: ['ignore', output, output] });
  closeSync(output);
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true });
  };
  try {
    await untilListening(port, child);
  } catch (error) {
    await stop();
    throw new Error(`${name} does not start`, { cause: error });
  }
  return { name, port, logged: () => readFileSync(log, 'latin1').split('\n').flatMap(parseLine), stop };
}

function parseLine(line: string): Logged[] {
  const found = /^log (.*) (\d+|-1) (\S+)/.exec(line);
  if (found === null) return [];
  const [, target = '', status, server = ''] = found;
  return [{ target, status: Number(status), forwarded: !['-', '', '<NOSRV>'].includes(server) }];
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const until = Date.now() + READY_MS;
  for (;;) {
    try {
      (await RawConnection.open(port)).close();
      return;
    } catch (error) {
      if (child.exitCode !== null || Date.now() > until) throw error;
      await sleep(50);
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
