import type { Change } from './effects.ts';
import { type KeyState, type Version, lineOf } from './key-state.ts';
import type { Answer, Asked, Operation } from './operation.ts';

/** A request under way, or the background work of one client (without an operation). */
export interface Task {
  readonly id: string;
  readonly client: number;
  readonly operation: Operation | undefined;
  asked: Asked;
  /** `waiting`: has not begun. */
  status: 'waiting' | 'running' | 'done';
  answer: Answer | undefined;
  /** The answer, once it was judged, and the version that it names as done. */
  said: Answer | undefined;
  acknowledged: string | undefined;
  /** Its outcome is open: it may still take effect. */
  answerWasUnknown: boolean;
  calls: number;
  /** State of its key at its first call, and every other one until its answer. */
  atStart: KeyState | undefined;
  readonly seen: Map<string, KeyState>;
  /** Versions touched by each change that it made. */
  readonly effects: (readonly Version[])[];
  /** Ends what runs in the client's name. */
  readonly hangUp: AbortController;
  /** Calls and their answers so far: what its further course depends on. */
  readonly history: string[];
}

export function newTask(id: string, client: number, operation: Operation | undefined): Task {
  return {
    id,
    client,
    operation,
    asked: { name: id, versionId: undefined, etag: undefined },
    status: 'waiting',
    answer: undefined,
    said: undefined,
    acknowledged: undefined,
    answerWasUnknown: false,
    calls: 0,
    atStart: undefined,
    seen: new Map(),
    effects: [],
    hangUp: new AbortController(),
    history: [],
  };
}

/** A lingering version is a state of its own: readers may see it. */
export function note(task: Task, state: KeyState): void {
  task.seen.set(`${state.text}\n\n${state.lingering.map(lineOf).join('\n')}`, state);
}

export function touchedBy({ before, after }: Change): Version[] {
  const had = new Set(before.versions.map(lineOf));
  const has = new Set(after.versions.map(lineOf));
  return [
    ...after.versions.filter((version) => !had.has(lineOf(version))),
    ...before.versions.filter((version) => !has.has(lineOf(version))),
  ];
}
