import { type CallAtGate, isChange } from './gate.ts';
import type { Task } from './task.ts';

/** What can come next. */
export type Step =
  | { readonly kind: 'call' | 'loseRequest' | 'loseAnswer' | 'delay'; readonly pending: Pending }
  | { readonly kind: 'crash' | 'hangUp'; readonly client: number }
  | { readonly kind: 'late'; readonly ghost: Pending };

export interface Pending extends CallAtGate {
  readonly task: Task;
  /** Takes effect on the store. */
  readonly run: () => Promise<unknown>;
  readonly answer: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** Steps that are no faults, then: everything that may go wrong now. */
export interface Steps {
  readonly regular: readonly Step[];
  readonly faults: readonly Step[];
}

/** @param hasClient whether a client has a request under way */
export function stepsFrom(
  { pending, ghosts }: { readonly pending: readonly Pending[]; readonly ghosts: readonly Pending[] },
  hasClient: (client: number) => boolean,
): Steps {
  const regular: Step[] = [
    ...pending.map((one) => ({ kind: 'call', pending: one }) as const),
    ...ghosts.map((ghost) => ({ kind: 'late', ghost }) as const),
  ];
  const changes = pending.filter(({ method }) => isChange(method));
  const crashes = [...new Set(changes.map(({ task }) => task.client))].map(
    (client) => ({ kind: 'crash', client }) as const,
  );
  const losses = changes.flatMap((one) => [
    { kind: 'loseAnswer', pending: one } as const,
    one.streamed ? ({ kind: 'loseRequest', pending: one } as const) : ({ kind: 'delay', pending: one } as const),
  ]);
  const hangUps = crashes
    .filter(({ client }) => hasClient(client))
    .map(({ client }) => ({ kind: 'hangUp', client }) as const);
  return { regular, faults: [...crashes, ...hangUps, ...losses] };
}
