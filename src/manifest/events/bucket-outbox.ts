import type { Call } from '../../observe/call.ts';
import { defined } from '../../observe/defined.ts';
import type { NotificationRule } from '../../protocol/notifications/notification-rule.ts';
import type { Bucket } from '../records/bucket.ts';
import type { Destination, ObjectEvent } from '../records/change-intent.ts';
import type { BackOff, Post } from './back-off.ts';
import {
  type BacklogBatch,
  appendEvents,
  destinationName,
  keepRest,
  listBacklog,
  UnreadableBatch,
  readBatch,
  removeBatches,
} from './backlog.ts';
import { type Courier, ReceiverNotReached } from './courier.ts';
import type { EventLease } from './event-lease.ts';
import type { EventTally } from './event-tally.ts';
import { type IntentPage, intentPages, removeIntents } from './intent-pages.ts';
import type { OpenIntents } from './open-intents.ts';
import { type PassPlace, PassShare, inTurn } from './pass-share.ts';

/** Within which bounds events wait for receivers that do not take them. */
export interface OutboxBounds {
  /** Milliseconds. */
  readonly maxAgeMs: number;
  /** Events of one configuration of a bucket. */
  readonly maxBehind: number;
}

interface OutboxWork {
  readonly bucket: Bucket;
  readonly courier: Courier;
  readonly bounds: OutboxBounds;
  readonly backOff: BackOff;
  readonly tally: EventTally;
  readonly lease: Pick<EventLease, 'hold'>;
  /** Told which intents were left, page by page: of changes that may be under way. */
  readonly open: Pick<OpenIntents, 'note'>;
  readonly monotonic: () => number;
  /** Where this process was cut off last. */
  readonly place?: PassPlace | undefined;
  /** By the service's clock, milliseconds. */
  readonly now: number;
  /** Told why something is left for the next time. @param rule whose receiver did not take it */
  readonly onProblem: (error: unknown, rule?: NotificationRule) => void;
}

/**
 * Sends the events of a bucket: first those that wait for their receivers already, then those of the changes that were
 * committed since. What a receiver does not take waits in the backlog of its configuration, where it holds no other up,
 * and so does all that comes after it. An intent is removed when its event was taken, or waits there.
 *
 * A pass ends when its time is over, so that other buckets have theirs: what there was no time to send waits, too.
 */
export class BucketOutbox {
  readonly #work: OutboxWork;
  readonly #share: PassShare;
  #backlog = new Map<string, BacklogBatch[]>();

  constructor(work: OutboxWork) {
    this.#work = work;
    this.#share = new PassShare(work.monotonic);
  }

  /**
   * @returns how many intents were done with, and where the next pass is to go on, if this one was cut off
   * @throws StoreError; conditionFailed: another process sends the events of the bucket now
   */
  async pass(call: Call): Promise<OutboxPass> {
    const { bucket, now, lease, open, tally, place, onProblem } = this.#work;
    this.#backlog = await listBacklog(bucket, call);
    const destination = await this.#sendBacklogs(call);
    let done = 0;
    let intent: string | undefined;
    for await (const page of intentPages(bucket, { now, startAt: place?.intent }, call)) {
      await lease.hold(call);
      await this.#sendPage(page, call);
      await removeIntents(bucket, page, call);
      tally.counts.unresolved += page.unresolved.length;
      for (const problem of page.problems) onProblem(problem);
      done += page.settled.length + page.undone.length + page.unresolved.length;
      open.note(page.open);
      intent = page.next;
      if (intent !== undefined && this.#share.isOver()) break;
    }
    this.#noteBehind();
    // A pass that began in the middle is yet to begin at the beginning.
    const isPart = this.#share.wasCut || place?.intent !== undefined;
    return { done, ...(isPart && { cut: { ...defined({ destination, intent }) } }) };
  }

  /** @returns the destination that had the last turn */
  async #sendBacklogs(call: Call): Promise<string | undefined> {
    let last = this.#work.place?.destination;
    for (const name of inTurn(this.#backlog.keys(), last)) {
      if (this.#share.isOverForBacklogs()) break;
      this.#share.beginDestination();
      await this.#sendBacklog(name, call);
      last = name;
    }
    return last;
  }

  async #sendPage({ events }: IntentPage, call: Call): Promise<void> {
    const byDestination = new Map<string, { destination: Destination; events: ObjectEvent[] }>();
    for (const event of events) {
      const name = destinationName(event);
      const others = byDestination.get(name);
      if (others !== undefined) others.events.push(event);
      else byDestination.set(name, { destination: { ruleId: event.ruleId, target: event.target }, events: [event] });
    }
    for (const [name, { destination, events: own }] of byDestination) {
      const rule = this.#ruleOf(destination);
      if (rule === undefined) this.#work.tally.counts.withdrawn += own.length;
      else await this.#sendOrKeep(name, { destination, rule, events: own }, call);
    }
  }

  #ruleOf({ ruleId, target }: Destination): NotificationRule | undefined {
    const { notifications = [] } = this.#work.bucket.settings;
    return notifications.find((rule) => rule.id === ruleId && rule.target === target);
  }

  async #sendOrKeep(name: string, { destination, rule, events }: Parcel, call: Call): Promise<void> {
    const waiting = this.#backlog.get(name) ?? [];
    this.#share.beginDestination();
    const sent = waiting.length > 0 ? 0 : await this.#send(name, rule, events, call);
    if (sent === events.length) return;
    const appended = { destination, last: waiting.at(-1), events: events.slice(sent) };
    const more = await appendEvents(this.#work.bucket, appended, call);
    this.#backlog.set(name, [...waiting, ...more]);
  }

  /** In their order, until the receiver takes no more or others have their turn. @returns how many it took */
  async #send(name: string, rule: NotificationRule, events: readonly ObjectEvent[], call: Call): Promise<number> {
    const { bucket, courier, backOff, tally, lease, onProblem } = this.#work;
    const post = this.#postOf(name, rule);
    if (backOff.isOff(post)) return 0;
    const atOnce = courier.atOnce(rule);
    for (let sent = 0; sent < events.length; sent += atOnce) {
      if (this.#share.isOverForDestination()) return sent;
      await lease.hold(call);
      const part = events.slice(sent, sent + atOnce);
      try {
        await courier.send(bucket, rule, part, call);
      } catch (error) {
        if (call.signal.aborted) throw error;
        backOff.failed(post, { isReached: !(error instanceof ReceiverNotReached) });
        onProblem(error, rule);
        tally.counts.failed += 1;
        return sent;
      }
      backOff.worked(post);
      tally.counts.delivered += part.length;
    }
    return events.length;
  }

  async #sendBacklog(name: string, call: Call): Promise<void> {
    const { bucket, tally } = this.#work;
    let batches = this.#backlog.get(name) ?? [];
    const readable = batches.find(({ fault }) => fault === undefined);
    const rule = readable && this.#ruleOf(readable);
    if (readable !== undefined && rule === undefined) {
      tally.counts.withdrawn += countOf(batches);
      await removeBatches(bucket, batches, call);
      this.#backlog.delete(name);
      return;
    }
    batches = await this.#dropExcess(batches, call);
    for (const batch of batches) {
      const events = rule && (await this.#read(name, { batch, rule }, call));
      if (rule === undefined || events === undefined) break;
      const sent = await this.#send(name, rule, events, call);
      if (sent < events.length) {
        // One that is refused for ever must not have those before it sent again and again.
        if (sent > 0) batches = [await keepRest(bucket, batch, events.slice(sent), call), ...batches.slice(1)];
        break;
      }
      await removeBatches(bucket, [batch], call);
      batches = batches.slice(1);
    }
    if (batches.length === 0) this.#backlog.delete(name);
    else this.#backlog.set(name, batches);
  }

  /** @returns undefined: the destination is left alone, or the batch cannot be read, behind which the others wait */
  async #read(name: string, { batch, rule }: WaitingBatch, call: Call): Promise<readonly ObjectEvent[] | undefined> {
    const { bucket, backOff, onProblem } = this.#work;
    const post = this.#postOf(name, rule);
    if (backOff.isOff(post)) return undefined;
    try {
      return await readBatch(bucket, batch, call);
    } catch (error) {
      if (!(error instanceof UnreadableBatch)) throw error;
      backOff.failed(post, { isReached: true });
      onProblem(error, rule);
      return undefined;
    }
  }

  #postOf(name: string, { target }: NotificationRule): Post {
    const { bucket, courier } = this.#work;
    return { uid: bucket.uid, name, receiver: courier.receiverOf(target) };
  }

  /** Gives up the oldest of those that are too old, or too many. @returns the others */
  async #dropExcess(batches: readonly BacklogBatch[], call: Call): Promise<BacklogBatch[]> {
    const { bucket, bounds, now, tally } = this.#work;
    let behind = countOf(batches);
    let kept = 0;
    for (const { count, since } of batches) {
      if (behind <= bounds.maxBehind && since >= now - bounds.maxAgeMs) break;
      behind -= count;
      kept += 1;
    }
    if (kept > 0) {
      await removeBatches(bucket, batches.slice(0, kept), call);
      tally.counts.dropped += countOf(batches) - behind;
    }
    return batches.slice(kept);
  }

  #noteBehind(): void {
    const batches = [...this.#backlog.values()].flat();
    const since = Math.min(...batches.map((batch) => batch.since));
    this.#work.tally.noteBehind({ bucket: this.#work.bucket.name, count: countOf(batches), since });
  }
}

/** What a pass over a bucket came to. */
export interface OutboxPass {
  readonly done: number;
  readonly cut?: PassPlace;
}

interface WaitingBatch {
  readonly batch: BacklogBatch;
  readonly rule: NotificationRule;
}

interface Parcel {
  readonly destination: Destination;
  readonly rule: NotificationRule;
  readonly events: readonly ObjectEvent[];
}

function countOf(batches: readonly BacklogBatch[]): number {
  return batches.reduce((sum, { count }) => sum + count, 0);
}
