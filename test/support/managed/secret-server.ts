import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach } from 'vitest';
import { SecretPlace } from '../../../src/main/managed/secret-place.ts';

/** What happens to a change: it is made, and answered; or its answer is lost; or it is lost itself. */
type Fate = 'answered' | 'answer lost' | 'lost';

/**
 * The part of a Kubernetes API server that has one Secret: compare-and-swap by its resource version, metadata alone for
 * those who ask for it. That the real one answers so is what the tests of `test/k8s` say.
 */
class SecretServer {
  #server: Server | undefined;
  #version = 1;
  data: Record<string, string> | undefined;
  fate: Fate = 'answered';
  /** Answers so to everything. */
  status: number | undefined;
  readonly asked: string[] = [];

  async start(): Promise<SecretPlace> {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    await new Promise<void>((listening) => this.#server?.listen(0, '127.0.0.1', listening));
    const tokenFile = join(mkdtempSync(join(tmpdir(), 'secret-')), 'token');
    writeFileSync(tokenFile, 'own-token\n', { mode: 0o600 });
    const { port } = this.#server.address() as AddressInfo;
    const api = { server: `http://127.0.0.1:${String(port)}`, tokenFile, caFile: undefined };
    return new SecretPlace(api, { namespace: 'storage', name: 'accounts', key: 'accounts.json' });
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((closed) => this.#server?.close(closed));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const accept = request.headers.accept ?? '';
    this.asked.push(`${request.method ?? ''} ${accept.includes('PartialObjectMetadata') ? 'metadata' : 'all'}`);
    if (request.headers.authorization !== 'Bearer own-token') return void response.writeHead(401).end('{}');
    if (request.url !== '/api/v1/namespaces/storage/secrets/accounts') return void response.writeHead(404).end('{}');
    if (this.status !== undefined) return void response.writeHead(this.status).end('{}');
    if (request.method === 'PATCH' && !this.#patch(body, response)) return;
    const metadata = { name: 'accounts', resourceVersion: String(this.#version) };
    const whole = accept.includes('PartialObjectMetadata') ? { metadata } : { metadata, data: this.data };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
  }

  /** @returns whether the change is answered as one that was made */
  #patch(body: string, response: ServerResponse): boolean {
    const { metadata, data } = JSON.parse(body) as {
      readonly metadata: { readonly resourceVersion: string };
      readonly data: Record<string, string>;
    };
    if (metadata.resourceVersion !== String(this.#version)) {
      response.writeHead(409).end('{}');
      return false;
    }
    const { fate } = this;
    this.fate = 'answered';
    if (fate !== 'lost') {
      this.#version += 1;
      this.data = { ...this.data, ...data };
    }
    if (fate === 'answered') return true;
    response.destroy();
    return false;
  }
}

/** One for each test of a file. */
export function secretServer(): { readonly server: SecretServer; readonly place: SecretPlace } {
  const current: { server: SecretServer; place: SecretPlace | undefined } = {
    server: new SecretServer(),
    place: undefined,
  };
  beforeEach(async () => {
    current.server = new SecretServer();
    current.place = await current.server.start();
  });
  afterEach(() => current.server.stop());
  return {
    get server() {
      return current.server;
    },
    get place() {
      if (current.place === undefined) throw new Error('it is there within tests only');
      return current.place;
    },
  };
}
