import { auditContainers, type Backend } from '../../manifest/index.ts';
import type { Call } from '../../observe/call.ts';
import { type Finding, ok } from './finding.ts';

const CHECK = 'containers of buckets';

/**
 * Whether each bucket's container is its own. Buckets whose container is not are refused, and the others served: so it
 * warns.
 */
export async function judgeContainers(backend: Backend, call: Call): Promise<Finding[]> {
  const disputes = await auditContainers(backend, call);
  if (disputes.length === 0) return [ok(CHECK, "each is its bucket's own")];
  return disputes.map(({ detail, advice }): Finding => ({ level: 'warn', check: CHECK, detail, advice }));
}
