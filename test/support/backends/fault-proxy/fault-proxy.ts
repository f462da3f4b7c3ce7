import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SOURCE_REFUSED } from './refusal.ts';
import { answerBroken, answerRefusal, answerWith, passBack, passBackWithout, resetConnection } from './answers.ts';
import { describeRequest } from './call-kind.ts';
import { authorizeAgain, emptyPage, withoutMark } from './empty-page.ts';
import type { CallKind, Fault, FaultPlan, ProxiedCall, Service } from './fault.ts';
import { passOn } from './pass-on.ts';
import { uploadName } from './upload-name.ts';

interface FaultProxyOptions {
  readonly service: Service;
  /** The backend's own endpoint, http. */
  readonly endpoint: string;
  /** Base64 key of the account, for empty pages of Azure: a marker is part of what is signed. */
  readonly accountKey?: string;
  readonly plan?: FaultPlan;
}

/** Idle connections outlive those of any client. */
const KEEP_ALIVE = 240_000;
const MAX_HEADERS = 64 * 1024;
const POLL_MS = 5;

/** Starts a proxy on loopback between gateways and a backend. Without a plan it passes everything on as it comes. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = new FaultProxy(options);
  await proxy.listen();
  return proxy;
}

/**
 * Streams both ways and adds nothing of its own but the faults. `Host` stays as the client sent it: Azurite takes
 * copies only from sources on the host under which it was asked, so it reads them through here, too. Signatures do not
 * cover the host.
 */
export class FaultProxy {
  readonly #options: FaultProxyOptions;
  readonly #backend: URL;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #counts = new Map<CallKind, number>();
  readonly #calls: ProxiedCall[] = [];
  readonly #stopped = new AbortController();
  #plan: FaultPlan | undefined;
  #active = 0;
  #lastSeen = 0;

  constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#plan = options.plan;
    this.#backend = new URL(options.endpoint);
    this.#server = createServer(
      { keepAliveTimeout: KEEP_ALIVE, requestTimeout: 0, maxHeaderSize: MAX_HEADERS },
      (request, response) => {
        this.#serve(request, response).catch(() => response.destroy());
      },
    );
  }

  /** Of the backend, as seen through the proxy. */
  get endpoint(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return `http://127.0.0.1:${address.port}${this.#backend.pathname}`.replace(/\/$/, '');
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** From now on; counts begin anew. @param plan absent: nothing goes wrong */
  follow(plan?: FaultPlan): void {
    this.#plan = plan;
    this.#counts.clear();
    this.#calls.length = 0;
  }

  /** Calls since the last `follow`, in the order in which they came. */
  get calls(): readonly ProxiedCall[] {
    return this.#calls;
  }

  /** Resolves when no call is under way and none has come for so many milliseconds. */
  async quiet(ms = 15): Promise<void> {
    while (this.#active > 0 || performance.now() - this.#lastSeen < ms) await sleep(POLL_MS);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
    this.#agent.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#active += 1;
    // A client that hangs up is nobody's failure.
    response.on('error', () => undefined);
    try {
      const call = await this.#describe(request);
      this.#calls.push(call);
      await this.#apply(this.#plan?.(call), call, { request, response });
    } finally {
      this.#active -= 1;
      this.#lastSeen = performance.now();
    }
  }

  async #describe(request: IncomingMessage): Promise<ProxiedCall> {
    const { method = '', url: target = '', headers } = request;
    const described = describeRequest(this.#options.service, { method, target, headers });
    const count = (this.#counts.get(described.kind) ?? 0) + 1;
    this.#counts.set(described.kind, count);
    if (described.kind !== 'write' || described.name !== undefined) return { ...described, count };
    const name = await uploadName(request);
    return { ...described, count, ...(name !== undefined && { name }) };
  }

  async #apply(fault: Fault | undefined, call: ProxiedCall, exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const { service } = call;
    switch (fault?.kind) {
      case 'delay':
        await sleep(fault.ms, undefined, { signal: this.#stopped.signal });
        return passBack(await this.#pass(call, request), response);
      case 'refuse':
        await drain(request);
        answerRefusal(response, service, fault);
        return;
      case 'refuseSource':
        await drain(request);
        answerWith(response, SOURCE_REFUSED);
        return;
      case 'loseRequest':
        await drain(request, fault.after);
        resetConnection(response);
        return;
      case 'loseAnswer':
        return this.#loseAnswer(fault, call, exchange);
      case 'breakBody':
      case 'stallBody':
        return answerBroken(await this.#pass(call, request), response, fault);
      case 'dropHeaders':
        return passBackWithout(fault.names, await this.#pass(call, request), response);
      case 'emptyPage': {
        const real = await this.#pass(call, request);
        if (real.statusCode !== 200) return passBack(real, response);
        real.resume();
        const { type, body } = emptyPage(service, call.target);
        answerWith(response, { status: 200, headers: { 'content-type': type }, body });
        return;
      }
      default:
        return passBack(await this.#pass(call, request), response);
    }
  }

  async #loseAnswer(
    { status, lateBy }: Extract<Fault, { kind: 'loseAnswer' }>,
    call: ProxiedCall,
    { request, response }: Exchange,
  ): Promise<void> {
    const tell = (): void => {
      if (status === undefined) resetConnection(response);
      else answerRefusal(response, call.service, { status });
    };
    if (lateBy !== undefined) {
      const body = await buffer(request);
      tell();
      await sleep(lateBy, undefined, { signal: this.#stopped.signal });
      await drain(await this.#pass(call, request, body));
      return;
    }
    await drain(await this.#pass(call, request));
    tell();
  }

  #pass({ service, target }: ProxiedCall, request: IncomingMessage, body?: Buffer): Promise<IncomingMessage> {
    const { accountKey } = this.#options;
    const honest = withoutMark(service, target);
    const headers =
      honest !== undefined && accountKey !== undefined
        ? authorizeAgain(honest, request.rawHeaders, accountKey)
        : request.rawHeaders;
    return passOn(request, {
      backend: this.#backend,
      agent: this.#agent,
      target: honest ?? target,
      headers,
      ...(body && { body }),
    });
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Takes a body and throws it away, to its end or until `after` bytes have come. */
async function drain(message: IncomingMessage, after = Infinity): Promise<void> {
  let seen = 0;
  if (after === 0) return;
  const enough = Promise.withResolvers<undefined>();
  message.on('data', (chunk: Buffer) => {
    seen += chunk.length;
    if (seen >= after) enough.resolve(undefined);
  });
  message.once('end', () => enough.resolve(undefined)).once('close', () => enough.resolve(undefined));
  await enough.promise;
}
