import type { Mode } from '../history/event.ts';
import { Dice } from './dice.ts';
import type {
  FaultKind,
  Incident,
  Plan,
  PlannedAction,
  PlannedCondition,
  PlannedFault,
  VersionPick,
  What,
} from './plan.ts';

const DAY = 86_400_000;
const SKEWS = [0, 0, 0, 40, -3_000, 90_000, -90_000, 600_000, -600_000];
/** Where the lives of buckets are at stake, clocks differ by more than any wait that depends on them. */
const BUCKET_SKEWS = [0, 90_000, -90_000, 600_000, -600_000];

/** What is at stake; a seed looks at one thing, so that its few requests meet. */
export type Theme = 'objects' | 'versions' | 'uploads' | 'buckets' | 'locks' | 'copies' | 'deletions' | 'tiers';

interface Dish {
  readonly weight: number;
  readonly make: (dice: Dice, id: string) => What;
}

const conditionOf = (dice: Dice, id: string): { condition?: PlannedCondition } => {
  const roll = dice.roll('condition', id);
  if (roll < 0.5) return {};
  return { condition: roll < 0.65 ? 'absent' : roll < 0.95 ? 'current' : 'stale' };
};
const versionOf = (dice: Dice, id: string): VersionPick =>
  dice.chance(0.2, 'null', id) ? 'null' : dice.whole(0, 2, 'version', id);
const maybeVersion = (dice: Dice, id: string): { version?: VersionPick } =>
  dice.chance(0.5, 'named', id) ? { version: versionOf(dice, id) } : {};

const PUT: Dish = {
  weight: 8,
  make: (dice, id) => ({
    kind: 'put',
    size: dice.chance(0.4, 'size', id) ? 'streamed' : 'small',
    ...conditionOf(dice, id),
    ...(dice.chance(0.3, 'slow', id) && { pause: dice.whole(1, 60, 'pause', id) }),
  }),
};
const SLOW_PUT: Dish = {
  weight: 6,
  make: (dice, id) => ({ kind: 'put', size: 'streamed', pause: dice.pick([5, 900, 1_500, 2_500, 5_000], 'pause', id) }),
};
const COPY: Dish = { weight: 2, make: (dice, id) => ({ kind: 'copy', from: 'l', ...conditionOf(dice, id) }) };
/** Where copies are at stake: from either key, which processes have looked at before. */
const COPIES: Dish = {
  weight: 10,
  make: (dice, id) => ({ kind: 'copy', from: dice.pick(['k', 'l'], 'from', id), ...conditionOf(dice, id) }),
};
const HEAD: Dish = { weight: 6, make: () => ({ kind: 'head' }) };
const UPLOAD: Dish = {
  weight: 3,
  make: (dice, id) => ({
    kind: 'upload',
    through: [dice.whole(0, 2, 'first', id), dice.whole(0, 2, 'second', id), dice.whole(0, 2, 'third', id)],
    apart: dice.whole(1, 60, 'apart', id),
    again: dice.chance(0.5, 'again', id),
    ...(dice.chance(0.4, 'conditional', id) ? conditionOf(dice, id) : {}),
  }),
};
const DELETE: Dish = {
  weight: 3,
  make: (dice, id) => ({ kind: 'delete', ...(dice.chance(0.25, 'if', id) && { condition: 'current' as const }) }),
};
const DELETE_VERSION: Dish = {
  weight: 4,
  make: (dice, id) => ({ kind: 'deleteVersion', version: versionOf(dice, id) }),
};
const DELETE_OBJECTS: Dish = {
  weight: 1,
  make: (dice, id) => ({ kind: 'deleteObjects', keys: ['k', 'l'], ...maybeVersion(dice, id) }),
};
/** Where deletions are at stake: repeated until they are answered, then read by id. */
const DELETIONS: Dish = {
  weight: 8,
  make: (dice, id) =>
    dice.chance(0.3, 'many', id)
      ? { kind: 'deleteObjects', keys: ['k', 'l'], version: dice.pick(MOSTLY_BELOW, 'which', id), again: true }
      : { kind: 'deleteVersion', version: dice.pick(MOSTLY_BELOW, 'which', id), again: true },
};
/** There they find something: a key begins with so many versions. */
const AT_FIRST = 4;
const FIRST: Dish = {
  weight: 1,
  make: (dice, id) => (dice.chance(0.3, 'first', id) ? UPLOAD.make(dice, id) : { kind: 'put', size: 'small' }),
};
const MOSTLY_BELOW: readonly VersionPick[] = [0, 1, 1, 2, 3, 'null'];
const GET: Dish = {
  weight: 3,
  make: (dice, id) => ({
    kind: dice.chance(0.7, 'get', id) ? 'get' : 'head',
    ...(dice.chance(0.3, 'byId', id) && { version: versionOf(dice, id) }),
  }),
};
const LIST: Dish = { weight: 1, make: () => ({ kind: 'list' }) };
const LIST_VERSIONS: Dish = { weight: 2, make: () => ({ kind: 'listVersions' }) };
const TAG: Dish = {
  weight: 2,
  make: (dice, id) => ({ kind: dice.chance(0.6, 'set', id) ? 'tag' : 'getTags', ...maybeVersion(dice, id) }),
};
const ACL: Dish = { weight: 1, make: (dice, id) => ({ kind: 'acl', ...maybeVersion(dice, id) }) };
const LOCK: Dish = {
  weight: 5,
  make: (dice, id) => ({
    kind: dice.pick(['hold', 'hold', 'unhold', 'retain'] as const, 'lock', id),
    ...maybeVersion(dice, id),
  }),
};
const SWEEP: Dish = { weight: 1, make: () => ({ kind: 'sweep' }) };
const BUCKET: Dish = {
  weight: 6,
  make: (dice, id) => ({ kind: dice.chance(0.6, 'remove', id) ? 'deleteBucket' : 'createBucket' }),
};
const SWITCH: Dish = {
  weight: 1,
  make: (dice, id) => ({ kind: 'setVersioning', to: dice.pick(['Enabled', 'Suspended'] as const, 'to', id) }),
};

/** Where tiers are at stake: archived from the beginning, or later by rules. */
const TIERED_PUT: Dish = {
  weight: 8,
  make: (dice, id) => ({
    kind: 'put',
    size: dice.chance(0.4, 'size', id) ? 'streamed' : 'small',
    storageClass: dice.pick(['STANDARD', 'STANDARD', 'STANDARD_IA', 'GLACIER', 'DEEP_ARCHIVE'], 'class', id),
    ...conditionOf(dice, id),
  }),
};
const LIFECYCLE: Dish = { weight: 8, make: () => ({ kind: 'lifecycle' }) };
const RESTORE: Dish = { weight: 2, make: (dice, id) => ({ kind: 'restore', ...maybeVersion(dice, id) }) };

const READS = [GET, LIST];
const MENUS: Readonly<Record<Theme, readonly Dish[]>> = {
  objects: [PUT, PUT, COPY, DELETE, DELETE_OBJECTS, TAG, ACL, ...READS],
  versions: [PUT, PUT, COPY, DELETE, DELETE_VERSION, DELETE_OBJECTS, TAG, ACL, LIST_VERSIONS, SWITCH, ...READS],
  uploads: [PUT, UPLOAD, UPLOAD, DELETE, DELETE_VERSION, LIST_VERSIONS, ...READS],
  buckets: [SLOW_PUT, PUT, BUCKET, { ...DELETE_VERSION, weight: 2 }, DELETE, UPLOAD, ...READS],
  locks: [PUT, DELETE, DELETE_VERSION, DELETE_OBJECTS, LOCK, LIST_VERSIONS, ...READS],
  deletions: [DELETIONS, DELETIONS, PUT, PUT, UPLOAD, DELETE, TAG, LIST_VERSIONS, SWITCH, ...READS],
  tiers: [
    LIFECYCLE,
    TIERED_PUT,
    TIERED_PUT,
    COPY,
    UPLOAD,
    DELETE,
    DELETE_VERSION,
    TAG,
    RESTORE,
    LOCK,
    LIST_VERSIONS,
    SWITCH,
    ...READS,
  ],
  copies: [PUT, COPIES, HEAD, DELETE, DELETE_VERSION, { ...UPLOAD, weight: 1 }, TAG, ACL, SWITCH, ...READS],
};

const FAULTS: readonly FaultKind[] = [
  'loseRequest',
  'loseAnswer',
  'loseAnswer',
  'late',
  'late',
  'slow',
  'slowAnswer',
  'refuse',
  'throttle',
  'cutBody',
  'leaveBefore',
  'leaveDuring',
  'leaveDuring',
  'leaveAfter',
  'crash',
  'pause',
];

export interface PlanLimits {
  readonly themes?: readonly Theme[];
  readonly without?: readonly FaultKind[];
}

/** A seed picks one of these, unless it is told which; not the others, so that seeds stand for what they did. */
const THEMES: readonly Theme[] = ['objects', 'versions', 'versions', 'uploads', 'buckets', 'locks'];
export const ALL_THEMES: readonly Theme[] = [...THEMES, 'copies', 'deletions', 'tiers'];

export function planOf(seed: number, { themes = THEMES, without = [] }: PlanLimits = {}): Plan {
  const dice = new Dice(seed);
  const theme = dice.pick(themes, 'theme');
  const lock = theme === 'locks' || (theme === 'tiers' && dice.chance(0.3, 'lock'));
  const versioning = lock ? 'enabled' : versioningOf(theme, dice);
  const menu = MENUS[theme].filter((_, index) => index === 0 || dice.chance(0.75, 'dish', index));
  const actions = actionsOf(theme, { dice, menu, versioning });
  return {
    seed,
    versioning,
    lock,
    ...(theme === 'tiers' && { tiers: true }),
    skews: Array.from({ length: dice.whole(2, 3, 'gateways') }, (_, index) =>
      dice.pick(theme === 'buckets' ? BUCKET_SKEWS : SKEWS, 'skew', index),
    ),
    actions,
    faults: [...faultsBehindDeletions(actions, dice), ...faultsOf(actions, dice)].filter(
      ({ kind }) => !without.includes(kind),
    ),
    incidents: incidentsOf(actions, dice),
  };
}

function versioningOf(theme: Theme, dice: Dice): Mode {
  if (theme === 'objects') return dice.chance(0.8, 'mode') ? 'never' : 'suspended';
  if (theme === 'copies') return dice.pick<Mode>(['never', 'never', 'never', 'enabled', 'suspended'], 'mode');
  if (theme === 'deletions') return dice.chance(0.8, 'mode') ? 'enabled' : 'suspended';
  if (theme === 'buckets') return dice.chance(0.8, 'mode') ? 'never' : 'enabled';
  return dice.pick<Mode>(['enabled', 'enabled', 'enabled', 'suspended', 'never'], 'mode');
}

/** Between two actions, on average; others than those of most themes. Milliseconds. */
const GAPS: Readonly<Partial<Record<Theme, readonly number[]>>> = {
  buckets: [60, 300, 900],
  deletions: [15, 60, 150],
  tiers: [15, 60, 400, 1500],
};

function actionsOf(
  theme: Theme,
  { dice, menu, versioning }: { dice: Dice; menu: readonly Dish[]; versioning: Mode },
): PlannedAction[] {
  const first = theme === 'deletions' ? AT_FIRST : 0;
  const count = dice.whole(4, 14, 'actions') + first;
  const gap = dice.pick(GAPS[theme] ?? [4, 15, 60], 'gap');
  // Of bytes under a key, as of copies, a listing does not tell who wrote them; of what is deleted, nothing else may.
  const hasKeys = theme !== 'deletions' && dice.chance(0.3, 'keys of customers');
  // Behind it everything is old enough for a sweeper.
  const night = dice.chance(0.25, 'night') ? dice.whole(2, count, 'night after') : Infinity;
  let at = 0;
  return Array.from({ length: count }, (_, index) => {
    const id = String.fromCharCode(97 + index);
    at += Math.floor(-Math.log(1 - dice.roll('gap', id)) * gap) + (index === night ? (25 * DAY) / 24 : 0);
    const isSweep = index > night && dice.chance(0.25, 'sweep', id);
    const dish = index < first ? FIRST : isSweep ? SWEEP : weighted(menu, dice, id);
    const what = underKey(dish.make(dice, id), hasKeys && dice.chance(0.6, 'under a key', id));
    const isSwitch = what.kind === 'setVersioning' && versioning === 'never';
    return {
      id,
      at,
      gateway: dice.whole(0, 2, 'gateway', id),
      account: theme === 'buckets' && dice.chance(0.3, 'account', id) ? 'B' : 'A',
      key: dice.chance(theme === 'copies' ? 0.5 : 0.85, 'key', id) ? 'k' : 'l',
      what: isSwitch ? { kind: 'get' } : what,
    };
  });
}

function underKey(what: What, isUnderKey: boolean): What {
  return isUnderKey && (what.kind === 'put' || what.kind === 'copy' || what.kind === 'upload')
    ? { ...what, underKey: true }
    : what;
}

function weighted(menu: readonly Dish[], dice: Dice, id: string): Dish {
  const total = menu.reduce((sum, { weight }) => sum + weight, 0);
  let left = dice.roll('dish of', id) * total;
  return menu.find(({ weight }) => (left -= weight) < 0) ?? PUT;
}

function isRepeatedDeletion(what: What): boolean {
  return (what.kind === 'deleteVersion' || what.kind === 'deleteObjects') && what.again === true;
}

function requestsOf({ id, what }: PlannedAction): readonly string[] {
  if (isRepeatedDeletion(what)) return [id, `${id}.2`];
  return what.kind === 'upload' ? [`${id}.1`, `${id}.3`, `${id}.3`, `${id}.3`, `${id}.4`] : [id];
}

function faultsOf(actions: readonly PlannedAction[], dice: Dice): PlannedFault[] {
  const count = dice.pick([0, 1, 2, 2, 3, 4], 'faults');
  return Array.from({ length: count }, (_, index) => {
    const request = dice.pick(actions.flatMap(requestsOf), 'request', index);
    const kind = dice.pick(FAULTS, 'fault', index);
    const atCommit = dice.chance(0.5, 'at commit', index);
    const call = atCommit ? 0 : dice.whole(0, 5, 'call', index);
    const from = atCommit ? { from: 'commit' as const } : {};
    const ms = msOf(kind, dice, index);
    const fault = {
      request,
      call,
      ...from,
      kind,
      ...(ms !== undefined && { ms }),
      ...(kind === 'refuse' && { more: dice.whole(0, 6, 'more', index) }),
    };
    if (!['loseAnswer', 'late', 'loseRequest'].includes(kind) || dice.chance(0.4, 'alone', index)) return [fault];
    // Misfortunes do not come singly: the answer is lost, and so is what would settle it.
    const next = dice.pick(
      ['refuse', 'leaveDuring', 'leaveBefore', 'throttle', 'crash', 'loseAnswer'] as const,
      'second',
      index,
    );
    return [
      fault,
      {
        request,
        call: call + 1,
        ...from,
        kind: next,
        ...(next === 'refuse' && { more: 6 }),
        ...(next === 'crash' && { ms: 50 }),
      },
    ];
  }).flat();
}

/** What follows the commit of a deletion removes the bytes: there it breaks off, so that it has to be repeated. */
function faultsBehindDeletions(actions: readonly PlannedAction[], dice: Dice): PlannedFault[] {
  return actions
    .filter(({ id, what }) => isRepeatedDeletion(what) && dice.chance(0.4, 'breaks off', id))
    .map(({ id }) => {
      const kind = dice.pick(['loseRequest', 'refuse', 'throttle', 'crash', 'late'] as const, 'break', id);
      return { request: id, from: 'commit', call: 1, more: 3, kind, ms: 30 };
    });
}

function msOf(kind: FaultKind, dice: Dice, index: number): number | undefined {
  switch (kind) {
    case 'late':
      return dice.pick([0, 5, 30, 200, 2_000, 120_000], 'late', index);
    case 'slow':
    case 'slowAnswer':
      return dice.pick([20, 60, 300, 1_500, 4_000], 'slow', index);
    case 'crash':
      return dice.pick([1, 50, 2_000], 'down', index);
    case 'pause':
      return dice.pick([30, 400, 1_500, 5_000, 61_500], 'pause', index);
    default:
      return undefined;
  }
}

function incidentsOf(actions: readonly PlannedAction[], dice: Dice): Incident[] {
  const count = dice.pick([0, 0, 1, 2], 'incidents');
  const end = actions.at(-1)?.at ?? 0;
  return Array.from({ length: count }, (_, index): Incident => {
    const gateway = dice.whole(0, 2, 'hit', index);
    const at = dice.whole(0, Math.min(end, 10_000), 'when', index);
    const kind = dice.pick(['step', 'step', 'crash', 'pause'] as const, 'incident', index);
    if (kind === 'step') {
      return { kind, gateway, at, by: dice.pick([-600_000, 600_000, -90_000, 90_000, -2_000], 'step', index) };
    }
    return { kind, gateway, at, ms: dice.pick([5, 100, 1_500, 61_500], 'span', index) };
  });
}
