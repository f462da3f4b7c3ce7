import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_MS = 10_000;
/** Debian puts it where only root looks. */
const CANDIDATES = ['nginx', '/usr/sbin/nginx'];

export function findNginx(): string | undefined {
  return CANDIDATES.find((candidate) => {
    try {
      execFileSync(candidate, ['-v'], { stdio: 'pipe' });
      return true;
    } catch {
      return false;
    }
  });
}

interface Surroundings {
  /** For all that nginx writes. */
  readonly folder: string;
  readonly processes: number;
  /** Of each process, on both sides. */
  readonly connections: number;
}

/** A configuration that has these directives in its `http` block; nginx stays in the foreground and logs no request. */
export function configurationAround(http: string, { folder, processes, connections }: Surroundings): string {
  return `daemon off;
worker_processes ${processes};
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections ${connections}; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${http}
}
`;
}

/**
 * What docs/operations/replicas.md tells to set: bodies are not gathered, whatever their size; Host and target reach
 * the gateway as the client sent and signed them; a replica that does not take a connection is passed over. Round-robin
 * is nginx's way when nothing is said.
 * @param replicas their URLs, all of one scheme; certificates are not looked at
 */
export function nginxConfiguration(port: number, replicas: readonly string[], folder: string): string {
  const { protocol } = new URL(replicas[0] ?? 'http://none');
  const servers = replicas.map((url) => `    server ${new URL(url).host} max_fails=1 fail_timeout=1s;`);
  const http = `  upstream gateway {
${servers.join('\n')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    ignore_invalid_headers off;
    underscores_in_headers on;
    merge_slashes off;
    location / {
      proxy_pass ${protocol}//gateway;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_request_buffering off;
      proxy_buffering off;
      proxy_connect_timeout 2s;
      proxy_read_timeout 300s;
      proxy_next_upstream error timeout http_502;
    }
  }`;
  return configurationAround(http, { folder, processes: 1, connections: 1024 });
}

interface Nginx {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** A real nginx before these replicas, on this port of loopback, with all that it writes in a folder of its own. */
export async function startNginx(binary: string, port: number, replicas: readonly string[]): Promise<Nginx> {
  return startNginxWith(binary, port, (folder) => nginxConfiguration(port, replicas, folder));
}

/** @param configuration with a listener on this port of loopback; gets the folder for all that nginx writes */
export async function startNginxWith(
  binary: string,
  port: number,
  configuration: (folder: string) => string,
): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(folder));
  const child = spawn(binary, ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true });
  };
  try {
    await untilAccepts(port, child);
    return { endpoint: `http://127.0.0.1:${port}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function untilAccepts(port: number, child: ChildProcess): Promise<void> {
  const until = Date.now() + READY_MS;
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect', { signal: AbortSignal.timeout(1000) });
      return;
    } catch (error) {
      if (child.exitCode !== null || Date.now() > until) throw new Error('nginx does not start', { cause: error });
      await sleep(50);
    } finally {
      socket.destroy();
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
