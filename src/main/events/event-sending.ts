import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../config/schema.ts';
import { type BucketRegistry, type Courier, Outbox } from '../../manifest/index.ts';
import type { CallWatch } from '../../observe/call-facts.ts';
import type { Log } from '../../observe/log.ts';
import type { Readings } from '../../observe/metrics/process-metrics.ts';
import type { NotificationTargets } from '../../operations/operation.ts';
import { targetName } from '../../protocol/notifications/notification-document.ts';
import { backgroundCall } from '../background-call.ts';
import type { OpenBackend } from '../backends.ts';
import type { SecretSources } from '../secrets.ts';
import { type EventReceiver, openReceiver } from './targets.ts';

/** The receivers of a configuration, by their names. */
type EventReceivers = ReadonlyMap<string, EventReceiver>;

/** @throws StartError */
function openReceivers({ events }: Pick<Config, 'events'>, sources: SecretSources): EventReceivers {
  return new Map(
    events.targets.map((target, at) => [target.name, openReceiver(target, `events.targets[${at}]`, sources)]),
  );
}

/** @throws Error: the configuration of the gateway has no such target any more */
function receiverOf(receivers: EventReceivers, arn: string): EventReceiver {
  const receiver = receivers.get(targetName(arn) ?? '');
  if (receiver === undefined) throw new Error(`the configuration has no target of the name in ${arn}`);
  return receiver;
}

interface SendingOptions {
  readonly config: Pick<Config, 'events' | 'region'>;
  readonly sources: SecretSources;
  readonly backends: readonly OpenBackend[];
  readonly buckets: Pick<BucketRegistry, 'get' | 'latest'>;
  readonly log: Log;
  readonly telemetry: { readonly calls: CallWatch };
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Sends the events of all buckets in the background, as every process of every replica does. */
export class EventSending {
  readonly #options: SendingOptions;
  readonly #receivers: EventReceivers;
  readonly #outbox: Outbox;
  #running: Promise<void> | undefined;

  /** @throws StartError: a secret of a target cannot be read */
  constructor(options: SendingOptions) {
    const { backends, buckets, config, log } = options;
    const { maxAgeMs, maxBehind } = config.events;
    const clocks = new Map(backends.map((backend) => [backend.name, backend.surveyed]));
    this.#options = options;
    this.#receivers = openReceivers(config, options.sources);
    this.#outbox = new Outbox({
      backends,
      buckets,
      courier: this.#courier(),
      bounds: { maxAgeMs, maxBehind },
      clockOf: ({ name }) => clocks.get(name),
      onProblem: (error, bucket) => log.warn({ err: error, bucket }, 'events wait, and are sent again'),
    });
  }

  /** What operations see of the receivers. */
  get targets(): NotificationTargets {
    const receivers = this.#receivers;
    return {
      has: (arn) => receivers.has(targetName(arn) ?? ''),
      greet: (arn, message, call) => receiverOf(receivers, arn).greet(message, call),
    };
  }

  /** Nothing is sent, and nothing looked for, where the configuration has no targets. */
  start(): void {
    if (this.#receivers.size > 0) this.#running = this.#run();
  }

  /** Resolves when the signal has ended it. */
  async ended(): Promise<void> {
    await this.#running;
  }

  readings(): Readings {
    const { tally } = this.#outbox;
    const { counts } = tally;
    return {
      s3gw_events: () =>
        (['delivered', 'dropped', 'withdrawn', 'unresolved'] as const).map((outcome) => [counts[outcome], { outcome }]),
      s3gw_event_failures: () => [[counts.failed]],
      s3gw_events_behind: () => [[tally.behind.reduce((sum, { count }) => sum + count, 0)]],
      s3gw_events_behind_seconds: () => {
        const since = Math.min(...tally.behind.map((behind) => behind.since));
        return [[Number.isFinite(since) ? (Date.now() - since) / 1000 : 0]];
      },
    };
  }

  #courier(): Courier {
    const { config } = this.#options;
    return {
      send: (bucket, rule, events, call) => {
        const source = { region: config.region, bucket: bucket.name, ownerId: bucket.ownerId, ruleId: rule.id };
        return receiverOf(this.#receivers, rule.target).send(events, source, call);
      },
    };
  }

  async #run(): Promise<void> {
    const { signal, telemetry, log, config } = this.#options;
    while (!signal.aborted) {
      const done = await this.#outbox.round(backgroundCall(signal, telemetry.calls)).catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, 'events could not be looked for');
        return 0;
      });
      if (done === 0) await sleep(config.events.pollMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
