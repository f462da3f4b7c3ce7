import type { FaultPlan } from '../support/backends/fault-proxy/fault.ts';

/** Work on single buckets is refused. */
const plan: FaultPlan = ({ kind }) =>
  kind === 'container' ? { kind: 'refuse', status: 503, retryAfter: 9 } : undefined;

export default plan;
