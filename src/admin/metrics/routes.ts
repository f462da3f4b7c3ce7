import type { RouteAccess } from '../guard/route-access.ts';
import type { AdminPart } from '../server.ts';
import { mergeMetrics } from './merge.ts';

/** Version 0.0.4 of the text format: what every scraper reads. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** A worker that takes longer is left out this time: scrapers wait ten seconds, as a rule. */
const SIBLING_MS = 3000;

/** Admin ports of all processes of this replica, the own one included; none where it is the only one. */
export type Siblings = () => Promise<readonly string[]>;

interface MetricsQuery {
  readonly Querystring: { readonly scope?: string };
}

/**
 * `/metrics` for Prometheus: of the whole replica, process by process. `?scope=own`: of this process alone.
 * @param render all metrics of this process as they stand, in Prometheus's text format
 */
export function metricsRoutes(render: () => Promise<string>, access: RouteAccess, siblings: Siblings = async () => []): AdminPart {
  return (app) => {
    app.get<MetricsQuery>('/metrics', { config: { access } }, async (request, reply) => {
      const urls = request.query.scope === 'own' ? [] : await siblings();
      const text = urls.length < 2 ? await render() : mergeMetrics(await gather(urls, request.headers.authorization));
      return reply.header('cache-control', 'no-store').type(CONTENT_TYPE).send(text);
    });
  };
}

/** The supervisor named them: whoever may ask here may ask there. */
async function gather(urls: readonly string[], authorization: string | undefined): Promise<{ worker: string; text: string }[]> {
  const headers = authorization === undefined ? {} : { authorization };
  const texts = await Promise.all(urls.map(async (url, index) => {
    try {
      const answer = await fetch(`${url}/metrics?scope=own`, { headers, signal: AbortSignal.timeout(SIBLING_MS) });
      return answer.ok ? [{ worker: String(index), text: await answer.text() }] : [];
    } catch {
      // It has ended, or is about to: its counters are gone with it.
      return [];
    }
  }));
  return texts.flat();
}
