import type { Fault, FaultPlan } from '../../support/backends/fault-proxy/fault.ts';

/** One call in so many meets one of these. */
const ONE_IN = 200;
const FAULTS: readonly Fault[] = [
  { kind: 'delay', ms: 500 },
  { kind: 'refuse', status: 503, retryAfter: 1 },
  { kind: 'refuse', status: 500 },
  { kind: 'loseRequest' },
  { kind: 'loseAnswer' },
  { kind: 'loseAnswer', status: 500 },
];

/** A bad day of the network and the service; no two runs are the same. */
const plan: FaultPlan = () => FAULTS[Math.floor(Math.random() * FAULTS.length * ONE_IN)];

export default plan;
