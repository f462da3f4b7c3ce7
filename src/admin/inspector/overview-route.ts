import type { FastifyInstance } from 'fastify';
import { FilterError } from '../journal/filter.ts';
import type { EventsOverview, OverviewWindow } from '../overview/contract.ts';
import { gatherOverview } from '../overview/gather-overview.ts';
import type { Traffic } from '../overview/traffic.ts';
import type { AllRequests } from './all-requests.ts';
import type { Overview } from './contract.ts';
import { checkNames, textsOf } from './queries.ts';
import { queryOf, questionOf } from './questions.ts';

/** What overviews are made of. */
export interface Overviews {
  readonly traffic: Traffic;
  /** How the events of buckets stand. */
  readonly events: () => EventsOverview;
  /** Counts requests and calls that have ended and are not counted yet. */
  readonly flush: () => void;
}

const WINDOWS: readonly OverviewWindow[] = ['hour', 'day'];

/** `GET /api/overview?window=hour|day`; see `Overview`. Without `window`, the last hour. */
export function overviewRoute(
  api: FastifyInstance,
  { overviews, all }: { readonly overviews: Overviews; readonly all: AllRequests },
): void {
  api.get('/api/overview', async (request, reply): Promise<Overview> => {
    const query = queryOf(request);
    checkNames(query, ['window', 'scope']);
    const text = textsOf(query, ['window']).window ?? 'hour';
    const window = WINDOWS.find((one) => one === text);
    if (window === undefined) throw new FilterError('window', `one of ${WINDOWS.join(', ')}`);
    overviews.flush();
    const own = gatherOverview(overviews.traffic, window, overviews.events());
    return all.overview(own, questionOf(request, reply));
  });
}
