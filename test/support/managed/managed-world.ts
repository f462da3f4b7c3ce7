import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { MemoryBlobStore } from '../../../adapters/memory/memory-blob-store.ts';
import { loadConfig } from '../../../config/load.ts';
import { type AdminServer, startAdminServer } from '../../../src/admin/server.ts';
import { openAdminAccess } from '../../../src/main/admin-access.ts';
import { backgroundCall } from '../../../src/main/background-call.ts';
import { createRealm } from '../../../src/main/bucket-rules.ts';
import { openManagement } from '../../../src/main/managed/management.ts';
import {
  openAccounts,
  type OpenedAccounts,
  runManaged,
  type RunningManaged,
} from '../../../src/main/managed/open-managed.ts';
import { openManifest } from '../../../src/main/manifest.ts';
import type { Log } from '../../../src/observe/log.ts';
import { redactFields } from '../../../src/observe/redact.ts';

export const READ_TOKEN = 'the-token-that-only-reads';
export const MANAGE_TOKEN = 'the-token-that-may-manage';
export const OPERATORS_KEY = 'OPERATORSKEY00000000';
export const OPERATORS_SECRET = 'a-secret-of-the-operators-own-file';

/** An account of the operator's own files, with one of everything. */
export const ACCOUNT = {
  name: 'team',
  keys: [{ accessKeyId: 'TEAMROOTTEAMROOT0000', secretAccessKey: 'a-secret-of-the-root' }],
  groups: [{ name: 'readers', buckets: ['*'], readOnly: true }],
  policies: { everything: { buckets: ['*'] } },
  users: [
    { name: 'carol', buckets: ['own'], keys: [{ accessKeyId: OPERATORS_KEY, secretAccessKey: OPERATORS_SECRET }] },
  ],
};

interface LoggedChange {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The admin API of one process over memory, and what it logs. */
export interface ManagedProcess extends OpenedAccounts {
  readonly url: string;
  readonly running: RunningManaged;
  readonly logged: readonly LoggedChange[];
  /** Asks the API. @param path below its base */
  ask(method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  /**
   * Puts other files of the operator's in force.
   * @param changes settings beside those that all have
   * @throws ConfigError, StartError
   */
  changeFiles(changes: object): void;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A folder of files for processes that share managed accounts. */
export class ManagedWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'managed-'));
  readonly #processes: ManagedProcess[] = [];

  constructor() {
    mkdirSync(join(this.folder, 'shared'));
  }

  /** @param changes settings beside those that all have */
  async start(changes: object = {}): Promise<ManagedProcess> {
    const process = await startProcess(this.#write(changes), (later) => this.#write(later));
    this.#processes.push(process);
    return process;
  }

  #write(changes: object): string {
    const file = join(this.folder, 'gateway.yaml');
    const settings = {
      accounts: [ACCOUNT, { name: 'other' }],
      backends: { store: { kind: 'memory', owner: 'team' } },
      admin: { tokenEnv: 'READ', manage: { tokenEnv: 'MANAGE' }, port: 0 },
      managedAccounts: { folder: 'shared' },
      buckets: { rules: [{ pattern: 'frozen-*', backend: 'store', readOnly: true }] },
      ...changes,
    };
    writeFileSync(file, stringify(settings), { mode: 0o600 });
    return file;
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.close()));
    rmSync(this.folder, { recursive: true });
  }
}

async function startProcess(file: string, write: (changes: object) => string): Promise<ManagedProcess> {
  const loaded = loadConfig(file, {});
  const sources = { folder: loaded.folder, environment: { READ: READ_TOKEN, MANAGE: MANAGE_TOKEN } };
  const logged: LoggedChange[] = [];
  // As the log of a process does.
  const keep = (fields: object, message: string): void =>
    void logged.push({ message, fields: redactFields(fields as LoggedChange['fields']) });
  const log: Log = { info: keep, warn: keep, error: keep };
  const opened = await openAccounts(loaded, sources);
  const running = runManaged(opened, log);
  if (running === undefined) throw new Error('the configuration has no managed accounts');
  const background = new AbortController();
  const server = await startServer({ opened, running, log, sources, signal: background.signal });
  const url = `http://127.0.0.1:${String(server.address.port)}`;
  return {
    ...opened,
    url,
    running,
    logged,
    ask: (method, path, body, token = MANAGE_TOKEN) => ask(`${url}/api/admin/v1${path}`, { method, body, token }),
    changeFiles: (changes) => opened.inForce.replaceFiles(loadConfig(write(changes), {})),
    async close() {
      background.abort();
      await server.close();
    },
  };
}

interface Surroundings {
  readonly opened: OpenedAccounts;
  readonly running: RunningManaged;
  readonly log: Log;
  readonly sources: Parameters<typeof openAccounts>[1];
  readonly signal: AbortSignal;
}

/** As `service.ts` puts it together. */
function startServer({ opened, running, log, sources, signal }: Surroundings): Promise<AdminServer> {
  const { config } = opened.inForce.loaded;
  const { accounts } = opened.inForce.identities;
  const ownerId = accounts.byName('team')?.canonicalId ?? '';
  const backend = { name: 'store', store: new MemoryBlobStore(), systemContainer: 'system', ownerId };
  const realm = createRealm([backend], config.buckets.rules, config.buckets.default);
  const manifest = openManifest({ realm, bucketCacheMs: 20, log, signal });
  const newCall = (own: AbortSignal): ReturnType<typeof backgroundCall> => backgroundCall(own);
  const management = openManagement({ config, managed: running.accounts, accounts, manifest, realm, newCall, log });
  const access = openAdminAccess({ admin: config.admin, sources, log, onRefused: management.onRefused });
  const parts = [access.guard, management.part];
  return startAdminServer({ host: '127.0.0.1', port: 0, parts, log });
}

async function ask(
  url: string,
  { method, body, token }: { readonly method: string; readonly body: unknown; readonly token: string },
): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const answer = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}
