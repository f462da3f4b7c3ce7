import type { Call } from '../../observe/call.ts';
import type { NotificationRule } from '../../protocol/notifications/notification-rule.ts';
import type { Bucket } from '../records/bucket.ts';
import type { ObjectEvent } from '../records/change-intent.ts';

/** Sends events to the receivers that the operator has named. */
export interface Courier {
  /** Names the receiver of a target: several targets may stand for one. */
  receiverOf(target: string): string;
  /** Most events of one `send`, which takes less than the lease lasts. */
  atOnce(rule: NotificationRule): number;
  /**
   * Resolves when the receiver has taken all of them. @throws Error: it has not, or perhaps not; ReceiverNotReached:
   * nothing was heard of it
   */
  send(bucket: Bucket, rule: NotificationRule, events: readonly ObjectEvent[], call: Call): Promise<void>;
}

/** A receiver has not answered at all, or not in time: so it would be with whatever else it is sent. */
export class ReceiverNotReached extends Error {
  override readonly name = 'ReceiverNotReached';

  /** @param code such as ECONNREFUSED or TimeoutError; nothing that quotes a URL or header, which may hold a secret */
  constructor(code: string) {
    super(`the receiver was not reached: ${code}`);
  }
}
