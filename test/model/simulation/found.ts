import type { Plan } from './plan.ts';

const CALM = { lock: false, skews: [0, 0, 0], incidents: [] } as const;

/**
 * Plans that went wrong once, as they were when they were shrunk: what a seed stands for changes with the generator.
 */
export const FOUND: Readonly<Record<string, Plan>> = {
  'a Complete is throttled, another makes the object on condition that there is none, and the Complete comes again': {
    ...CALM,
    seed: 414_548,
    versioning: 'never',
    actions: [
      {
        id: 'b',
        at: 13,
        gateway: 2,
        account: 'A',
        key: 'l',
        what: { kind: 'upload', through: [0, 2, 1], apart: 55, again: true },
      },
      {
        id: 'g',
        at: 471,
        gateway: 2,
        account: 'A',
        key: 'l',
        what: { kind: 'put', size: 'streamed', condition: 'absent' },
      },
    ],
    faults: [{ request: 'b.3', call: 0, from: 'commit', kind: 'throttle' }],
  },
  'the same, and nobody knows whether the first Complete was carried out': {
    ...CALM,
    seed: 414_548,
    versioning: 'never',
    actions: [
      {
        id: 'b',
        at: 13,
        gateway: 2,
        account: 'A',
        key: 'l',
        what: { kind: 'upload', through: [0, 2, 1], apart: 55, again: true },
      },
      {
        id: 'g',
        at: 471,
        gateway: 2,
        account: 'A',
        key: 'l',
        what: { kind: 'put', size: 'streamed', condition: 'absent' },
      },
    ],
    faults: [{ request: 'b.3', call: 0, from: 'commit', kind: 'loseRequest' }],
  },
};
