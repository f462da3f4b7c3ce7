import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { breakAfter } from '../../../adapters/doubles/faults.ts';
import type { Call } from '../../../src/observe/call.ts';
import type { BlobStore, ReadResult } from '../../../src/store/blob-store.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import type { PortMethod } from '../../../src/store/wrap-store.ts';
import type { UploadBody } from '../../../src/streams/bytes.ts';
import { testCall } from '../../support/test-call.ts';
import { type CallAtGate, gated, isChange } from '../interleaving/gate.ts';
import { shortOutcome, shortenNames } from '../interleaving/readable.ts';
import type { Dice } from './dice.ts';
import type { Gateway } from './gateway.ts';
import type { PlannedFault } from './plan.ts';
import { type Plant, Discards, ignoringOldMarks, takingAnySource } from './plants.ts';
import type { Timeline } from './timeline.ts';

/** Milliseconds that a call takes there and back when nothing is wrong, at most. */
const MOST_LATENCY = 12;
/** When a call that is not answered is given up. */
const GIVEN_UP_AFTER = 40;
/** What reaches the store is applied whatever becomes of its sender. */
const FREE: Call = testCall();

const METHODS = [
  'createContainer',
  'headContainer',
  'removeContainer',
  'listContainers',
  'head',
  'read',
  'write',
  'setMetadata',
  'remove',
  'removeMany',
  'list',
  'copy',
  'stagePart',
  'stagePartFrom',
  'assemble',
  'discardParts',
  'ping',
] as const satisfies readonly PortMethod[];

export interface WireOptions {
  readonly timeline: Timeline;
  readonly dice: Dice;
  readonly store: BlobStore;
  readonly faultOf: (request: string, call: number, sinceCommit: number | undefined) => PlannedFault | undefined;
  /** The client of a request leaves. */
  readonly leave: (request: string) => void;
  readonly note: (who: string, what: string, outcome: string) => void;
  readonly plant?: Plant | undefined;
}

/**
 * Between the gateways and the one store: each call takes its time there and back, and things go wrong with it on its
 * way.
 */
export class Wire {
  readonly #options: WireOptions;
  readonly #counts = new Map<string, number>();
  readonly #commits = new Map<string, number>();
  readonly #free: BlobStore;
  readonly #discards: Discards | undefined;
  /** How many calls met a fault. */
  faults = 0;

  constructor(options: WireOptions) {
    this.#options = options;
    this.#free = free(options.store);
    if (options.plant === 'discard') this.#discards = new Discards(this.#free, FREE);
  }

  storeFor(gateway: Gateway): BlobStore {
    const { life } = gateway;
    return drained(gated(this.#planted(gateway), (call, run) => this.#submit({ gateway, life, ...call }, run)));
  }

  #planted({ time }: Gateway): BlobStore {
    const { plant } = this.#options;
    if (plant === 'source') return takingAnySource(this.#free);
    return plant === 'mark' ? ignoringOldMarks(this.#free, time.now) : this.#free;
  }

  #submit<T>(sent: Sent, run: () => Promise<T>): Promise<T> {
    const { call, method } = sent;
    const who = `${sent.gateway.name} ${call.requestId.includes('.') || call.requestId.length < 6 ? call.requestId : 'background'}`;
    const number = this.#counts.get(call.requestId) ?? 0;
    this.#counts.set(call.requestId, number + 1);
    if (isChange(method) && /^[kl] /.test(sent.text) && !this.#commits.has(call.requestId)) {
      this.#commits.set(call.requestId, number);
    }
    const commit = this.#commits.get(call.requestId);
    const fault = this.#options.faultOf(call.requestId, number, commit === undefined ? undefined : number - commit);
    if (fault !== undefined) this.faults += 1;
    if (fault?.kind === 'leaveBefore') this.#options.leave(call.requestId);
    if (call.signal.aborted) {
      return Promise.reject(new StoreError('aborted', { call: method, cause: call.signal.reason }));
    }
    return this.#travel({ ...sent, who, number, fault, text: `${method} ${shortenNames(sent.text)}` }, run);
  }

  #travel<T>(trip: Trip, run: () => Promise<T>): Promise<T> {
    const { timeline, note } = this.#options;
    const { call, method, gateway, life, who, text } = trip;
    timeline.stir();
    return new Promise<T>((resolve, reject) => {
      /** In the gateway, if it still is what it was. */
      const deliver = (after: number, work: () => void): void => {
        timeline.after(after, () =>
          gateway.resume(life, () => {
            call.signal.removeEventListener('abort', abandon);
            timeline.stir();
            work();
          }),
        );
      };
      const abandon = (): void => {
        note(who, text, 'ABANDONED on its way');
        if (!isChange(method)) this.#discards?.readFailed(call.requestId);
        reject(new StoreError('aborted', { call: method, cause: call.signal.reason, ...lostIfChange(method) }));
      };
      call.signal.addEventListener('abort', abandon, { once: true });
      this.#send(
        { ...trip, fail: (error, after) => deliver(after, () => reject(error)) },
        {
          run,
          answer: (back, value) =>
            deliver(back, () => {
              if ('value' in value) resolve(value.value);
              else reject(value.error instanceof Error ? value.error : new Error('no error', { cause: value.error }));
              if (trip.fault?.kind === 'leaveAfter') this.#options.leave(call.requestId);
            }),
        },
      );
    });
  }

  #send<T>(
    trip: Trip & { readonly fail: (error: StoreError, after: number) => void },
    { run, answer }: Journey<T>,
  ): void {
    const { timeline, note } = this.#options;
    const { call, method, fault, who, text, fail } = trip;
    const lost = new StoreError('unavailable', { call: method, ...lostIfChange(method) });
    const [there, back] = this.#latencies(trip);
    const refusal = REFUSALS[fault?.kind ?? ''];
    if (refusal !== undefined || fault?.kind === 'loseRequest') {
      if (!isChange(method)) this.#discards?.readFailed(call.requestId);
      note(who, text, refusal === undefined ? 'LOST, takes no effect' : `REFUSED: ${refusal}`);
      fail(refusal === undefined ? lost : new StoreError(refusal, { call: method }), GIVEN_UP_AFTER);
      return;
    }
    this.#befall(trip);
    if (fault?.kind === 'late') fail(lost, GIVEN_UP_AFTER);
    timeline.after(fault?.kind === 'late' ? GIVEN_UP_AFTER + (fault.ms ?? 0) : there, () => {
      this.#discards?.note(trip);
      const outcome = this.#sent(trip, run).then(
        (value) => ({ value: fault?.kind === 'cutBody' ? cut(value) : value }),
        (error: unknown) => ({ error }),
      );
      void outcome.then((came) => {
        timeline.stir();
        note(who, text, `${shortenNames(shortOutcome(came))}${REMARKS[fault?.kind ?? ''] ?? ''}`);
        if (fault?.kind === 'loseAnswer' && !this.#isSentAgain(trip)) fail(lost, GIVEN_UP_AFTER);
        else if (fault?.kind !== 'late') answer(back, came);
      });
    });
  }

  /**
   * `nonce` planted: somebody on the way sends again what was not answered, and passes on the second answer as the only
   * one.
   */
  async #sent<T>({ fault, text }: Trip, run: () => Promise<T>): Promise<T> {
    if (this.#isSentAgain({ fault, text })) await run().catch(() => undefined);
    return run();
  }

  /** Only what changes a head on a condition keeps nonces. */
  #isSentAgain({ fault, text }: Pick<Trip, 'fault' | 'text'>): boolean {
    return (
      this.#options.plant === 'nonce' &&
      fault?.kind === 'loseAnswer' &&
      /^(?:write|setMetadata|copy) [kl] .* if /.test(text)
    );
  }

  /** What happens to the gateway or its client while the call is on its way. */
  #befall({ call, fault, gateway }: Trip): void {
    const { timeline, leave } = this.#options;
    if (fault?.kind === 'leaveDuring') timeline.after(1, () => leave(call.requestId));
    if (fault?.kind === 'crash') timeline.after(1, () => gateway.crash(fault.ms ?? 1));
    if (fault?.kind === 'pause') gateway.pause(fault.ms ?? 1);
  }

  #latencies({ call, number, fault }: Trip): [there: number, back: number] {
    const { dice } = this.#options;
    const usual = (way: string): number => dice.roll('latency', call.requestId, number, way) * MOST_LATENCY + 1;
    const more = fault?.ms ?? 0;
    return [
      usual('there') + (fault?.kind === 'slow' ? more : 0),
      usual('back') + (fault?.kind === 'slowAnswer' ? more : 0),
    ];
  }
}

type Sent = CallAtGate & { readonly gateway: Gateway; readonly life: number };
type Trip = Sent & { readonly who: string; readonly number: number; readonly fault: PlannedFault | undefined };

interface Journey<T> {
  readonly run: () => Promise<T>;
  readonly answer: (back: number, outcome: { readonly value: T } | { readonly error: unknown }) => void;
}

function lostIfChange(method: PortMethod): { lost?: true } {
  return isChange(method) ? { lost: true } : {};
}

const REFUSALS: Readonly<Record<string, 'unavailable' | 'throttled'>> = {
  refuse: 'unavailable',
  throttle: 'throttled',
};
const REMARKS: Readonly<Record<string, string>> = {
  late: ' (LATE: nobody waits for it)',
  loseAnswer: ' (ANSWER LOST)',
  slow: ' (slow)',
  slowAnswer: ' (answer slow)',
  cutBody: ' (BODY CUT)',
};

/** The last argument of every call of the port is its `Call`. */
function free(store: BlobStore): BlobStore {
  const calls = METHODS.map((method) => {
    const send = store[method].bind(store) as (...args: unknown[]) => unknown;
    return [method, (...args: unknown[]) => send(...args.slice(0, -1), FREE)] as const;
  });
  return {
    kind: store.kind,
    capabilities: store.capabilities,
    ...(store.partDigests !== undefined && { partDigests: store.partDigests }),
    close: () => store.close(),
    ...Object.fromEntries(calls),
  } as unknown as BlobStore;
}

/**
 * A body is read before its call is made: what is in the store is there as a whole, and breaking off a body stores
 * nothing.
 */
function drained(store: BlobStore): BlobStore {
  return {
    ...store,
    write: async (ref, body, request, call) => store.write(ref, await wholeBody(body, 'write', call), request, call),
    stagePart: async (ref, body, request, call) =>
      store.stagePart(ref, await wholeBody(body, 'stagePart', call), request, call),
  };
}

async function wholeBody(body: UploadBody, method: string, { signal }: Call): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  const chunks: Uint8Array[] = [];
  const leave = (): unknown => body.stream.destroy(signal.reason as Error);
  signal.addEventListener('abort', leave, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of body.stream) chunks.push(chunk as Uint8Array);
    return Buffer.concat(chunks);
  } catch (cause) {
    throw new StoreError('aborted', { call: method, cause });
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/** Only what is read has a body that can break. */
function cut<T>(value: T): T {
  if (typeof value !== 'object' || value === null || !('body' in value)) return value;
  const { body } = value as unknown as ReadResult;
  const stream = (): Readable => {
    const broken = breakAfter(3, new StoreError('unavailable', { call: 'read', code: 'BodyBroken' }));
    pipeline(body.stream(), broken).catch(() => undefined);
    return broken;
  };
  const pipeTo = (sink: Writable, signal: AbortSignal): Promise<void> => pipeline(stream(), sink, { signal });
  return { ...value, body: { size: body.size, discard: () => body.discard(), pipeTo, stream } };
}
