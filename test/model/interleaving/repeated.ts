import { type Change, unlawful } from './effects.ts';
import type { Task } from './task.ts';

/** It is under way, or will be sent again. */
export function isConcerned({ id, calls, status }: Task, tasks: readonly Task[]): boolean {
  return (
    calls > 0 &&
    (status === 'running' ||
      tasks.some(({ operation, status: other }) => operation?.repeats === id && other !== 'done'))
  );
}

/**
 * Something was written over the key by who looks at nothing: a Complete that is sent again may have been beneath it.
 */
export function isBeneath({ operation }: Task, tasks: readonly Task[]): boolean {
  if (operation?.repeats === undefined || operation.mode !== 'never') return false;
  return tasks.some(
    ({ operation: other, effects }) =>
      (other?.kind === 'put' || other?.kind === 'copy') && other.condition === undefined && effects.length > 0,
  );
}

/** It takes effect a second time, which is for a Complete that is sent again. */
export function isTwin({ id, effects, operation: own }: Task, tasks: readonly Task[]): boolean {
  return effects.length > 1 && (own?.repeats !== undefined || tasks.some(({ operation }) => operation?.repeats === id));
}

/**
 * A Complete that finds its object being deleted removes it itself: the effect is that of the DELETE, under way or
 * crashed.
 */
export function helped(
  { operation, effects }: Task,
  { key, change }: { readonly key: string; readonly change: Change },
  tasks: readonly Task[],
): Task | undefined {
  if (operation?.kind !== 'complete' || effects.length === 0) return undefined;
  return tasks.find((other) => {
    const { calls, status } = other;
    const isUnderWay = calls > 0 && (status === 'running' || other.answerWasUnknown) && other.effects.length === 0;
    return (
      isUnderWay &&
      other.operation?.kind === 'delete' &&
      other.operation.key === key &&
      unlawful(other.operation, other.asked, change) === undefined
    );
  });
}
