import type { RouteAccess } from '../guard/route-access.ts';
import type { AdminPart } from '../server.ts';

/** Version 0.0.4 of the text format: what every scraper reads. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** `/metrics` for Prometheus. @param render all metrics as they stand, in its text format */
export function metricsRoutes(render: () => Promise<string>, access: RouteAccess): AdminPart {
  return (app) => {
    app.get('/metrics', { config: { access } }, async (_request, reply) => reply.header('cache-control', 'no-store').type(CONTENT_TYPE).send(await render()));
  };
}
