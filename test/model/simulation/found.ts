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
  'a legal hold is taken off, the version is deleted for that, and then is not there for the second look': {
    ...CALM,
    seed: 602_875,
    versioning: 'enabled',
    lock: true,
    actions: [
      { id: 'c', at: 52, gateway: 0, account: 'A', key: 'k', what: { kind: 'hold', version: 0 } },
      { id: 'd', at: 59, gateway: 1, account: 'A', key: 'k', what: { kind: 'put', size: 'streamed' } },
      { id: 'e', at: 101, gateway: 0, account: 'A', key: 'k', what: { kind: 'put', size: 'streamed' } },
      { id: 'h', at: 130, gateway: 0, account: 'A', key: 'k', what: { kind: 'hold' } },
      { id: 'i', at: 173, gateway: 1, account: 'A', key: 'k', what: { kind: 'unhold', version: 1 } },
      { id: 'l', at: 181, gateway: 1, account: 'A', key: 'k', what: { kind: 'deleteVersion', version: 2 } },
    ],
    faults: [{ request: 'd', call: 0, from: 'commit', kind: 'leaveAfter' }],
  },
  'a Complete comes again through another gateway, and versioning is being suspended meanwhile': {
    ...CALM,
    seed: 4_107_327,
    versioning: 'enabled',
    actions: [
      {
        id: 'c',
        at: 53,
        gateway: 0,
        account: 'A',
        key: 'k',
        what: { kind: 'put', size: 'streamed', storageClass: 'STANDARD' },
      },
      {
        id: 'd',
        at: 103,
        gateway: 2,
        account: 'A',
        key: 'k',
        what: { kind: 'upload', through: [0, 1, 2], apart: 38, again: false },
      },
      { id: 'g', at: 375, gateway: 0, account: 'A', what: { kind: 'setVersioning', to: 'Suspended' }, key: 'k' },
      {
        id: 'h',
        at: 381,
        gateway: 2,
        account: 'A',
        key: 'k',
        what: { kind: 'upload', through: [0, 2, 2], apart: 16, again: true },
      },
    ],
    faults: [
      { request: 'h.3', call: 4, kind: 'loseRequest' },
      { request: 'h.3', call: 5, kind: 'leaveBefore' },
      { request: 'd.3', call: 3, kind: 'leaveDuring' },
    ],
  },
};
