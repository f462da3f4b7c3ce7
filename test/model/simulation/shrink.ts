import type { Plan } from './plan.ts';

const MOST_TRIES = 400;

/**
 * The least of a plan that still goes wrong: leaves out faults, incidents and actions, then quietens what is left, as
 * long as `isWrong`.
 */
export async function shrink(plan: Plan, isWrong: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let best = plan;
  let tries = 0;
  for (let changed = true; changed; ) {
    changed = false;
    for (const next of smaller(best)) {
      if (++tries > MOST_TRIES) return best;
      if (!(await isWrong(next))) continue;
      best = next;
      changed = true;
      break;
    }
  }
  return best;
}

function* smaller(plan: Plan): Generator<Plan> {
  const { actions, faults, incidents, skews } = plan;
  for (let size = Math.ceil(actions.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let first = 0; first < actions.length; first += size) {
      yield { ...plan, actions: actions.toSpliced(first, size) };
    }
  }
  for (const index of faults.keys()) yield { ...plan, faults: faults.toSpliced(index, 1) };
  for (const index of incidents.keys()) yield { ...plan, incidents: incidents.toSpliced(index, 1) };
  for (const [index, skew] of skews.entries()) if (skew !== 0) yield { ...plan, skews: skews.with(index, 0) };
  for (const [index, fault] of faults.entries()) {
    if (fault.more !== undefined && fault.more > 1) {
      yield { ...plan, faults: faults.with(index, { ...fault, more: fault.more - 1 }) };
    }
  }
  for (const [index, action] of actions.entries()) {
    if (action.gateway % skews.length !== 0) yield { ...plan, actions: actions.with(index, { ...action, gateway: 0 }) };
    const { what } = action;
    if ('condition' in what) {
      const { condition: _condition, ...plain } = what;
      yield { ...plan, actions: actions.with(index, { ...action, what: plain }) };
    }
    if (what.kind !== 'put' || what.pause === undefined) continue;
    const { pause, ...quick } = what;
    yield {
      ...plan,
      actions: actions.with(index, { ...action, what: pause > 1 ? { ...what, pause: Math.floor(pause / 4) } : quick }),
    };
  }
}
