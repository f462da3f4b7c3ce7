import { createHash } from 'node:crypto';
import { isS3Error } from '../../../src/errors/s3-error.ts';
import { sweep } from '../../../src/manifest/sweep/sweep.ts';
import { SWEEP_DEFAULTS } from '../../../src/manifest/sweep/sweep-run.ts';
import type { Removed } from '../../../src/manifest/heads/object-requests.ts';
import type { Call } from '../../../src/observe/call.ts';
import { toS3Error } from '../../../src/operations/failure.ts';
import type { OperationName } from '../../../src/protocol/operation-table.ts';
import type { S3Response } from '../../../src/protocol/response.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import { testCall } from '../../support/test-call.ts';
import type { Action, Condition, Outcome } from '../history/event.ts';
import type { Gateway } from './gateway.ts';
import type { PlannedAction, PlannedCondition } from './plan.ts';
import type { Recorder } from './recorder.ts';
import { type RequestParts, textOf } from './request.ts';
import type { Timeline } from './timeline.ts';

export const BUCKET = 'bucket';
/** In which what is asked for may change between an object under a key and one that is not. */
const MAX_TURNS = 12;
const KEY = Buffer.alloc(32, 'a key of a customer, ');

function shownKey(prefix: string): Readonly<Record<string, string>> {
  const said = `${prefix}-server-side-encryption-customer`;
  return {
    [`${said}-algorithm`]: 'AES256',
    [`${said}-key`]: KEY.toString('base64'),
    [`${said}-key-md5`]: createHash('md5').update(KEY).digest('base64'),
  };
}

/** Headers of a client that shows its key, for what it names, and for what it copies. */
export const UNDER_KEY = shownKey('x-amz');
export const FROM_UNDER_KEY = shownKey('x-amz-copy-source');

/** What a client sees of one request. */
export type Answer =
  | { readonly kind: 'response'; readonly response: S3Response; readonly text: string }
  | {
      readonly kind: 'error';
      readonly code: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly cause: unknown;
    }
  /** The client left, or the gateway did. */
  | { readonly kind: 'gone' };

interface ClientOptions {
  readonly timeline: Timeline;
  readonly gateways: readonly Gateway[];
  readonly recorder: Recorder;
  readonly note: (who: string, what: string, outcome: string) => void;
}

interface UnderWay {
  readonly gateway: Gateway;
  readonly leave: () => void;
}

/** All clients: each action is one, which sends its requests and writes down what it was told. */
export class Clients {
  readonly recorder: Recorder;
  readonly timeline: Timeline;
  readonly #options: ClientOptions;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(options: ClientOptions) {
    this.#options = options;
    this.recorder = options.recorder;
    this.timeline = options.timeline;
  }

  /** Whoever sent this request hangs up. */
  leave(request: string): void {
    this.#underWay.get(request)?.leave();
  }

  /** No request of this gateway is answered any more. */
  abandon(gateway: Gateway): void {
    for (const request of [...this.#underWay.values()]) if (request.gateway === gateway) request.leave();
  }

  get gateways(): readonly Gateway[] {
    return this.#options.gateways;
  }

  gateway(index: number): Gateway {
    const { gateways } = this.#options;
    return gateways[index % gateways.length] ?? fail('no gateway');
  }

  async sweep({ id, gateway: index }: PlannedAction): Promise<void> {
    const gateway = this.gateway(index);
    if (!gateway.isUp) return;
    const call: Call = { ...testCall(), requestId: id };
    const { backends } = gateway.realm;
    const done = sweep({ realm: gateway.realm, backends, settings: SWEEP_DEFAULTS, now: gateway.time.now }, call);
    const said = await done.then(({ backends: reports }) => JSON.stringify(reports), String);
    this.#options.note(id, 'sweep', `ends ${said}`);
  }

  /** Its removals are written down as if a client had asked for each; what had no effect is not. */
  async lifecycle({ id, gateway: index }: PlannedAction): Promise<void> {
    const gateway = this.gateway(index);
    if (!gateway.isUp) return;
    const { recorder } = this;
    let count = 0;
    const around: Parameters<Gateway['lifecycle']>[0] = async ({ target, request }, work) => {
      const own = `${id}.${++count}`;
      const { key, versionId } = target;
      const etag = request.conditions.ifStill?.etag;
      const action: Action =
        versionId === undefined
          ? { kind: 'delete', modes: recorder.modes, ...(etag !== undefined && { condition: { kind: 'etag', etag } }) }
          : { kind: 'deleteVersion', versionId };
      const began = recorder.tick();
      const add = (outcome: Outcome): void => {
        if (this.#underWay.delete(own)) recorder.add({ id: own, key, account: 'A', began, action, outcome });
      };
      this.#underWay.set(own, { gateway, leave: () => add({ kind: 'unknown' }) });
      try {
        const removed = await work();
        add({ kind: 'done', ...(versionId === undefined && madeIn(removed)) });
        return removed;
      } catch (error) {
        const isCertain = isS3Error(error) ? error.status < 500 : !(error instanceof StoreError);
        if (isCertain) this.#underWay.delete(own);
        else add({ kind: 'unknown' });
        throw error;
      }
    };
    const call: Call = { ...testCall(), requestId: id };
    const said = await gateway.lifecycle(around, call).then((report) => JSON.stringify(report.buckets), String);
    this.#options.note(id, 'lifecycle', `ends ${said}`);
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.timeline.after(ms, resolve));
  }

  /** One request, until it is answered or its client has left. */
  async send(
    name: OperationName,
    { id, gateway: index, account, ...parts }: RequestParts & Pick<PlannedAction, 'id' | 'gateway' | 'account'>,
  ): Promise<Answer> {
    const gateway = this.gateway(index);
    if (!gateway.isUp) return { kind: 'error', code: 'ConnectionRefused', headers: {}, cause: undefined };
    const controller = new AbortController();
    const answer = await new Promise<Answer>((resolve) => {
      const leave = (): void => {
        controller.abort(new Error('the client left'));
        this.timeline.stir();
        resolve({ kind: 'gone' });
      };
      this.#underWay.set(id, { gateway, leave });
      const call: Call = { ...testCall(controller.signal), requestId: id };
      gateway.resume(gateway.life, () => {
        const answered = gateway
          .perform(name, { ...parts, account }, call)
          .then(async (response): Promise<Answer> => ({ kind: 'response', response, text: await textOf(response) }));
        void answered
          .catch(refused)
          .then(resolve)
          .finally(() => this.timeline.stir());
      });
    });
    this.#underWay.delete(id);
    this.#options.note(id, name, `answers ${shortOf(answer)}`);
    this.#suspect(id, answer);
    return answer;
  }

  /**
   * As `send`, of what may be under a key or not: who is told that he should have shown one, or none, asks again so.
   * Such a refusal is certain.
   */
  async sendAsNeeded(
    name: OperationName,
    parts: Parameters<Clients['send']>[1],
    shown: Readonly<Record<string, string>> = UNDER_KEY,
  ): Promise<Answer> {
    let answer: Answer = { kind: 'gone' };
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      answer = await this.send(name, turn % 2 === 0 ? parts : { ...parts, headers: { ...parts.headers, ...shown } });
      if (answer.kind !== 'error' || answer.code !== 'InvalidRequest') return answer;
    }
    return answer;
  }

  /** 500 is for what nobody has thought of. */
  #suspect(id: string, answer: Answer): void {
    if (answer.kind !== 'error' || answer.code !== 'InternalError') return;
    const { cause } = answer;
    this.recorder.wrong.push(
      `${id} was answered 500: ${cause instanceof Error ? `${cause.stack ?? cause.message} / ${String(cause.cause)}` : String(cause)}`,
    );
  }
}

/** The delete marker. */
function madeIn({ versionId }: Removed): { versionId?: string } {
  return versionId === undefined ? {} : { versionId };
}

function shortOf(answer: Answer): string {
  if (answer.kind === 'gone') return 'nothing';
  if (answer.kind === 'error') return answer.code;
  const { status, headers = {} } = answer.response;
  return [status, headers['etag'], headers['x-amz-version-id']].filter((part) => part !== undefined).join(' ');
}

function refused(error: unknown): Answer {
  const { code, headers, cause } = toS3Error(error);
  return { kind: 'error', code, headers: headers, cause: isS3Error(error) ? error : cause };
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  ServiceUnavailable: { kind: 'unknown' },
  SlowDown: { kind: 'unknown' },
  InternalError: { kind: 'unknown' },
  PreconditionFailed: { kind: 'conditionFailed' },
  NoSuchVersion: { kind: 'absent' },
  NoSuchBucket: { kind: 'noBucket' },
  MethodNotAllowed: { kind: 'marker' },
};

/** What is not `done`. */
export function outcomeOf(answer: Exclude<Answer, { kind: 'response' }>): Outcome {
  if (answer.kind === 'gone') return { kind: 'unknown' };
  const { code, headers } = answer;
  const versionId = headers['x-amz-version-id'];
  if (code === 'NoSuchKey') return { kind: 'absent', ...(versionId !== undefined && { versionId }) };
  return OUTCOMES[code] ?? { kind: 'nothing' };
}

interface Conditional {
  readonly condition?: Condition;
  readonly headers: Record<string, string>;
}

export function conditionOf(recorder: Recorder, key: string, planned: PlannedCondition | undefined): Conditional {
  if (planned === undefined) return { headers: {} };
  if (planned === 'absent') return { condition: { kind: 'absent' }, headers: { 'if-none-match': '*' } };
  const etag = recorder.etag(key, planned);
  return { condition: { kind: 'etag', etag }, headers: { 'if-match': `"${etag}"` } };
}

export function digestOf(text: string): Record<string, string> {
  return { 'content-md5': createHash('md5').update(text).digest('base64') };
}

export function fail(message: string): never {
  throw new Error(message);
}
