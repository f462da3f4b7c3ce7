import type { Call } from '../../observe/call.ts';
import { plainJson } from '../../observe/written-text.ts';
import { isStoreError } from '../../store/store-error.ts';
import { type AdminPart, refuse } from '../server.ts';
import type { UsageList } from './contract.ts';
import { type FoundUsage, usageCsv, usageList, type UsageSurroundings } from './usage-list.ts';

interface UsageRoutesOptions extends Omit<UsageSurroundings, 'now'> {
  /** Reads what is known of all buckets. @throws StoreError */
  readonly read: (call: Call) => Promise<readonly FoundUsage[]>;
  /** A call to the backend that serves no S3 request. */
  readonly newCall: (signal: AbortSignal) => Call;
}

/** Longest time that reading may take: a list call for each thousand records. */
const READ_MS = 30_000;

interface UsageQuery {
  readonly Querystring: { readonly format?: string };
}

/** `GET /api/usage`, and the same with `?format=csv`: what lies in buckets, by the last pass over each. */
export function usageRoutes({ read, newCall, ...surroundings }: UsageRoutesOptions): AdminPart {
  const list = async (): Promise<UsageList> => {
    const found = await read(newCall(AbortSignal.timeout(READ_MS)));
    return usageList(found, { ...surroundings, now: Date.now() });
  };
  return (app) => {
    app.get<UsageQuery>('/api/usage', async ({ query: { format = 'json' } }, reply) => {
      if (format !== 'json' && format !== 'csv') return refuse(reply, 400, 'format: expected json or csv');
      let usage: UsageList;
      try {
        usage = await list();
      } catch (error) {
        if (isStoreError(error)) return refuse(reply, 502, `the backend: ${error.message}`);
        throw error;
      }
      reply.header('cache-control', 'no-store');
      if (format === 'json') {
        return reply.type('application/json; charset=utf-8').send(plainJson(JSON.stringify(usage)));
      }
      reply.header('content-disposition', 'attachment; filename="usage.csv"');
      return reply.type('text/csv; charset=utf-8').send(usageCsv(usage));
    });
  };
}
