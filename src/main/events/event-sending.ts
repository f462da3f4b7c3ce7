import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../config/schema.ts';
import { type BucketRegistry, type Courier, type EventTally, Outbox } from '../../manifest/index.ts';
import type { AccountDirectory } from '../../access/accounts.ts';
import type { CallWatch } from '../../observe/call-facts.ts';
import type { Log } from '../../observe/log.ts';
import type { Readings } from '../../observe/metrics/process-metrics.ts';
import type { NotificationTargets } from '../../operations/operation.ts';
import { targetName } from '../../protocol/notifications/notification-document.ts';
import { EVENT_BRIDGE, type NotificationRule } from '../../protocol/notifications/notification-rule.ts';
import { backgroundCall } from '../background-call.ts';
import type { OpenBackend } from '../backends.ts';
import type { SecretSources } from '../secrets.ts';
import { openReceiver } from './open-receiver.ts';
import type { EventReceiver, MessageForm } from './receiver.ts';

/** Of owners that the configuration has no more. */
const NO_ACCOUNT = '000000000000';

/** The receivers that a configuration of the gateway names for buckets: the one for quotas is the operator's own. */
class EventReceivers {
  readonly #byName: ReadonlyMap<string, EventReceiver>;
  readonly #eventBridge: string | undefined;

  /** @throws StartError */
  constructor({ events, quotas, outbound }: ReceiverConfig, sources: SecretSources) {
    this.#byName = new Map(
      events.targets.flatMap((target, at) =>
        target.name === quotas.target
          ? []
          : [[target.name, openReceiver(target, { where: `events.targets[${at}]`, sources, outbound })]],
      ),
    );
    this.#eventBridge = events.eventBridge;
  }

  get size(): number {
    return this.#byName.size;
  }

  find(arn: string): EventReceiver | undefined {
    return this.#byName.get(this.nameOf(arn));
  }

  /** Accounts and regions of ARNs do not matter: many of them name one receiver. */
  nameOf(arn: string): string {
    return (arn === EVENT_BRIDGE ? this.#eventBridge : targetName(arn)) ?? '';
  }

  /** @throws Error: the configuration of the gateway has no such target any more */
  get(arn: string): EventReceiver {
    const receiver = this.find(arn);
    if (receiver === undefined) throw new Error(`the configuration has no target of the name in ${arn}`);
    return receiver;
  }
}

type ReceiverConfig = Pick<Config, 'events' | 'outbound' | 'quotas'>;

function formOf({ kind }: NotificationRule): MessageForm {
  return kind === 'eventBridge' ? 'eventBridge' : 's3';
}

interface SendingOptions {
  readonly config: ReceiverConfig & Pick<Config, 'region'>;
  readonly sources: SecretSources;
  readonly backends: readonly OpenBackend[];
  readonly buckets: Pick<BucketRegistry, 'get' | 'latest'>;
  readonly identities: { readonly accounts: Pick<AccountDirectory, 'byCanonicalId'> };
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
    this.#receivers = new EventReceivers(config, options.sources);
    this.#outbox = new Outbox({
      backends,
      buckets,
      courier: this.#courier(),
      bounds: { maxAgeMs, maxBehind },
      clockOf: ({ name }) => clocks.get(name),
      onProblem: (error, bucket, rule) =>
        log.warn(
          { err: error, bucket, configuration: rule?.id, target: rule?.target },
          'events wait, and are sent again',
        ),
    });
  }

  /** What operations see of the receivers. */
  get targets(): NotificationTargets {
    const receivers = this.#receivers;
    return {
      has: (arn) => receivers.find(arn) !== undefined,
      greet: (arn, message, call) => receivers.get(arn).greet(message, call),
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

  /** What became of the events, as this process knows it. */
  get tally(): EventTally {
    return this.#outbox.tally;
  }

  readings(): Readings {
    const { tally } = this;
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
    const { config, identities } = this.#options;
    const { region } = config;
    return {
      receiverOf: (target) => this.#receivers.nameOf(target),
      atOnce: (rule) => this.#receivers.find(rule.target)?.atOnce(formOf(rule)) ?? 1,
      send: (bucket, rule, events, call) => {
        const { name, ownerId } = bucket;
        const ownerAccount = identities.accounts.byCanonicalId(ownerId)?.accountNumber ?? NO_ACCOUNT;
        const source = { region, bucket: name, ownerId, ownerAccount, ruleId: rule.id, form: formOf(rule) };
        return this.#receivers.get(rule.target).send(events, source, call);
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
