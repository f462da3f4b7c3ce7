import type { RouteAccess } from '../guard/route-access.ts';
import { type Credentials, credentialsOf } from '../replicas/peer-client.ts';
import type { AdminPart } from '../server.ts';
import { mergeMetrics } from './merge.ts';

/** Version 0.0.4 of the text format: what every scraper reads. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** A worker that takes longer is left out this time: scrapers wait ten seconds, as a rule. */
const SIBLING_MS = 3000;

/** One of several processes of a replica. */
export interface Sibling {
  /** Its place, which the one that replaces it takes over: counters that changed places would seem to jump. */
  readonly worker: string;
  /** Base URL of its admin port. */
  readonly url: string;
}

/** All processes of this replica, the own one included; none where it is the only one. */
type Siblings = () => readonly Sibling[];

interface MetricsQuery {
  readonly Querystring: { readonly scope?: string };
}

/**
 * `/metrics` for Prometheus: of the whole replica, process by process. `?scope=own`: of this process alone.
 * @param render all metrics of this process as they stand, in Prometheus's text format
 */
export function metricsRoutes(
  render: () => Promise<string>,
  access: RouteAccess,
  siblings: Siblings = () => [],
): AdminPart {
  return (app) => {
    app.get<MetricsQuery>('/metrics', { config: { access } }, async (request, reply) => {
      const all = request.query.scope === 'own' ? [] : siblings();
      const text = all.length === 0 ? await render() : mergeMetrics(await gather(all, credentialsOf(request.headers)));
      return reply.header('cache-control', 'no-store').type(CONTENT_TYPE).send(text);
    });
  };
}

/** The supervisor named them: whoever may ask here may ask there. */
async function gather(
  siblings: readonly Sibling[],
  credentials: Credentials,
): Promise<{ worker: string; text: string }[]> {
  const texts = await Promise.all(
    siblings.map(async ({ worker, url }) => {
      try {
        const answer = await fetch(`${url}/metrics?scope=own`, {
          headers: { ...credentials },
          signal: AbortSignal.timeout(SIBLING_MS),
        });
        const text = await answer.text();
        return answer.ok ? [{ worker, text }] : [];
      } catch {
        // It has ended, or is about to: its counters are gone with it.
        return [];
      }
    }),
  );
  return texts.flat();
}
