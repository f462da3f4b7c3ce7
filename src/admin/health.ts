import type { FastifyInstance } from 'fastify';
import './guard/guard.ts';
import type { AdminPart } from './server.ts';

/** What probes ask; see docs/configuration.md, `admin`. */
interface HealthSources {
  /** True once everything is open. */
  readonly started: () => boolean;
  readonly draining: () => boolean;
  /** Asks all backends. */
  readonly backends: () => Promise<BackendHealth>;
  /** Milliseconds by which this machine's clock is wrong; undefined while it can be trusted. */
  readonly clockWrongBy?: () => number | undefined;
}

export interface BackendHealth {
  readonly total: number;
  /** Names of those that do not answer. */
  readonly failing: readonly string[];
}

interface Verdict {
  readonly ok: boolean;
  readonly detail: string;
}

/** Probes come every few seconds from several sides: one answer of the backends serves them all for a moment. */
const REMEMBER_MS = 1000;

/**
 * `/healthz`: the process runs. `/startupz`: everything is open. `/readyz`: requests may come, so not
 * while draining, nor while no backend answers. One that answers is enough: its buckets can be served, and those of the
 * others would be no better off with another replica.
 */
export function healthRoutes(sources: HealthSources): AdminPart {
  const readiness = remembered(() => judgeReadiness(sources));
  return (app) => {
    answer(app, '/healthz', async () => ({ ok: true, detail: 'alive' }));
    answer(app, '/startupz', async () =>
      sources.started() ? { ok: true, detail: 'started' } : { ok: false, detail: 'starting' },
    );
    answer(app, '/readyz', async () => (sources.draining() ? { ok: false, detail: 'draining' } : readiness()));
  };
}

function answer(app: FastifyInstance, url: string, judge: () => Promise<Verdict>): void {
  app.get(url, { config: { access: 'probe' } }, async (_request, reply) => {
    const { ok, detail } = await judge();
    return reply
      .code(ok ? 200 : 503)
      .type('text/plain; charset=utf-8')
      .send(`${detail}\n`);
  });
}

async function judgeReadiness({ started, backends, clockWrongBy }: HealthSources): Promise<Verdict> {
  if (!started()) return { ok: false, detail: 'starting' };
  const { total, failing } = await backends();
  const skew = clockWrongBy?.();
  if (skew !== undefined) {
    return {
      ok: false,
      detail: `the clock is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? 'ahead' : 'behind'} of the backends'`,
    };
  }
  if (failing.length === 0) return { ok: true, detail: 'ready' };
  const silent = `no answer from backend ${failing.join(', ')}`;
  return failing.length < total ? { ok: true, detail: `ready, but ${silent}` } : { ok: false, detail: silent };
}

function remembered(judge: () => Promise<Verdict>): () => Promise<Verdict> {
  let last: { readonly verdict: Promise<Verdict>; readonly until: number } | undefined;
  return () => {
    // By the monotonic clock: one that is set back would keep the verdict for as long.
    const now = performance.now();
    if (last === undefined || now >= last.until) last = { verdict: judge(), until: now + REMEMBER_MS };
    return last.verdict;
  };
}
