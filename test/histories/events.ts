import { createHash } from 'node:crypto';
import type { Action, Condition, Event, Mode, Outcome } from '../model/history/event.ts';
import type { Call, CallOf, WriteConditions } from '../model/reference/calls.ts';
import type { Recorded } from './client.ts';

/**
 * One key's calls as the checker wants them. Parts and listings are no events: parts show in what is completed,
 * listings are judged by themselves.
 */
export function eventsOf(recorded: readonly Recorded[], mode: Mode): Event[] {
  const single = recorded.flatMap((one, index) => {
    const event = asEvent(one, mode);
    return event === undefined
      ? []
      : [
          {
            id: event.id ?? `${one.call.op} ${index}`,
            ...timesOf(one, event.outcome),
            key: keyOf(one.call),
            action: event.action,
            outcome: event.outcome,
          },
        ];
  });
  return [...single, ...uploadsOf(recorded, mode)];
}

interface Described {
  /** Of what writes: the note that its object carries. */
  readonly id?: string;
  readonly action: Action;
  readonly outcome: Outcome;
}

type Describe<C> = (call: C, recorded: Recorded, mode: Mode) => Described | undefined;

const DESCRIBE: { readonly [Op in Call['op']]?: Describe<CallOf<Op>> } = {
  PutObject: (call, recorded, mode) => ({
    ...named(call.note),
    action: { kind: 'put', modes: [mode], etag: etagOf(call.body), ...condition(call) },
    outcome: changed(recorded),
  }),
  CopyObject: (call, recorded, mode) => {
    const etag = (recorded.answer?.body as { readonly etag?: string } | undefined)?.etag;
    const outcome = perhapsUntold(changed(recorded), mode);
    // Without a condition of its own: the source was not there.
    if (outcome.kind === 'absent') return { action: { kind: 'read' }, outcome };
    return {
      ...named(call.note),
      action: { kind: 'put', modes: [mode], ...(etag !== undefined && { etag }) },
      outcome,
    };
  },
  DeleteObject: (call, recorded, mode) =>
    call.versionId === undefined
      ? { action: { kind: 'delete', modes: [mode], ...condition(call) }, outcome: changed(recorded) }
      : { action: { kind: 'deleteVersion', versionId: call.versionId }, outcome: changed(recorded) },
  GetObject: ({ versionId }, recorded) => ({
    action: { kind: 'read', ...(versionId !== undefined && { versionId }) },
    outcome: shown(recorded),
  }),
  HeadObject: ({ versionId }, recorded) => ({
    action: { kind: 'read', ...(versionId !== undefined && { versionId }) },
    outcome: shown(recorded),
  }),
};

function asEvent(recorded: Recorded, mode: Mode): Described | undefined {
  const describe = DESCRIBE[recorded.call.op] as Describe<Call> | undefined;
  return describe?.(recorded.call, recorded, mode);
}

function named(note: string | undefined): { readonly id?: string } {
  return note === undefined ? {} : { id: note };
}

function keyOf(call: Call): string {
  return 'key' in call ? call.key : '';
}

/** What was not answered may land at any later time. */
function timesOf({ sentAt, answeredAt }: Recorded, outcome: Outcome): Pick<Event, 'began' | 'ended'> {
  return { began: sentAt, ended: outcome.kind === 'unknown' ? Infinity : answeredAt };
}

/** How a change ended. */
function changed({ answer }: Recorded): Outcome {
  if (
    answer === undefined ||
    answer.status >= 500 ||
    answer.code === 'InternalError' ||
    answer.code === 'SlowDown' ||
    answer.code === 'ServiceUnavailable'
  ) {
    return { kind: 'unknown' };
  }
  if (answer.status < 300 && answer.code === undefined) return { kind: 'done', ...versionOf(answer.headers) };
  if (answer.code === 'PreconditionFailed') return { kind: 'conditionFailed' };
  if (answer.code === 'NoSuchKey') return { kind: 'absent' };
  return { kind: 'nothing' };
}

/** The head of an answer that takes long goes before its version is known. */
function perhapsUntold(outcome: Outcome, mode: Mode): Outcome {
  const isUntold = outcome.kind === 'done' && outcome.versionId === undefined && mode === 'enabled';
  return isUntold ? { ...outcome, untold: true } : outcome;
}

function shown({ answer }: Recorded): Outcome {
  if (answer === undefined || answer.status >= 500) return { kind: 'unknown' };
  if (answer.status === 200) {
    return { kind: 'shown', writers: [answer.headers['x-amz-meta-note'] ?? 'nobody'], ...versionOf(answer.headers) };
  }
  if (answer.status === 405) return { kind: 'marker' };
  return answer.status === 404 ? { kind: 'absent', ...versionOf(answer.headers) } : { kind: 'nothing' };
}

function versionOf(headers: Readonly<Record<string, string>>): { readonly versionId?: string } {
  const versionId = headers['x-amz-version-id'];
  return versionId === undefined ? {} : { versionId };
}

function condition({ ifMatch, ifNoneMatch }: WriteConditions): { readonly condition?: Condition } {
  if (ifNoneMatch !== undefined) return { condition: { kind: 'absent' } };
  return ifMatch === undefined ? {} : { condition: { kind: 'etag', etag: ifMatch } };
}

/** As S3 makes it of a body in one piece. */
function etagOf(body: string): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}

/**
 * An upload in parts writes once, however often it is completed: from its beginning (its place among the versions is
 * decided then) to the first answer that says so. An attempt whose condition failed is an event of its own.
 */
function uploadsOf(recorded: readonly Recorded[], mode: Mode): Event[] {
  return recorded.flatMap((one) => {
    const { call, answer } = one;
    const uploadId = (answer?.body as { readonly uploadId?: string } | undefined)?.uploadId;
    if (call.op !== 'CreateMultipartUpload' || uploadId === undefined) return [];
    const attempts = recorded.filter(
      ({ call: other }) => other.op === 'CompleteMultipartUpload' && other.uploadId === uploadId,
    );
    return uploadEvents({ id: call.note ?? uploadId, key: call.key, begun: one, attempts }, mode);
  });
}

interface UploadHistory {
  readonly id: string;
  readonly key: string;
  readonly begun: Recorded;
  readonly attempts: readonly Recorded[];
}

function uploadEvents({ id, key, begun, attempts }: UploadHistory, mode: Mode): Event[] {
  const outcomes = attempts.map((attempt) => ({ attempt, outcome: changed(attempt) }));
  const refused = outcomes.flatMap(({ attempt, outcome }, index): Event[] => {
    if (outcome.kind !== 'conditionFailed' && outcome.kind !== 'absent') return [];
    return [{ id: `${id} refused ${index}`, key, ...timesOf(attempt, outcome), action: putOf(attempt, mode), outcome }];
  });
  // Whichever it was that did it: all that say so after it repeat what it said.
  const done = outcomes.filter(({ outcome }) => outcome.kind === 'done');
  const perhaps = [...done, ...outcomes.filter(({ outcome }) => outcome.kind === 'unknown')];
  const [first, other] = perhaps.sort((a, b) => a.attempt.sentAt - b.attempt.sentAt);
  if (first === undefined) return refused;
  const began = mode === 'enabled' ? begun.sentAt : first.attempt.sentAt;
  const [answered] = done.sort((a, b) => a.attempt.answeredAt - b.attempt.answeredAt);
  const { outcome, ended } =
    answered === undefined
      ? { outcome: { kind: 'unknown' } as const, ended: Infinity }
      : { outcome: perhapsUntold(answered.outcome, mode), ended: answered.attempt.answeredAt };
  const action = other === undefined ? putOf(first.attempt, mode) : anyOf(answered?.attempt ?? first.attempt, mode);
  return [...refused, { id, key, began, ended, action, outcome }];
}

function putOf({ call, answer }: Recorded, mode: Mode): Extract<Action, { kind: 'put' }> {
  const etag = (answer?.body as { readonly etag?: string } | undefined)?.etag;
  const conditions = call.op === 'CompleteMultipartUpload' ? condition(call) : {};
  return { kind: 'put', modes: [mode], ...(etag !== undefined && { etag }), ...conditions };
}

/** Several attempts, with conditions of their own. */
function anyOf(attempt: Recorded, mode: Mode): Action {
  const { condition: _any, ...action } = putOf(attempt, mode);
  return action;
}
