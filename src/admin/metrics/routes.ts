import type { RouteAccess } from '../guard/guard.ts';
import { type PeerCredentials, credentialsOf } from '../replicas/peer-client.ts';
import type { AdminPart } from '../server.ts';

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
  credentials: PeerCredentials,
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

/** Metrics of one process, in Prometheus's text format, and the label value that tells it from others. */
interface LabelledText {
  readonly worker: string;
  readonly text: string;
}

interface Family {
  /** `# HELP`, `# TYPE` and the like: once for all processes. */
  readonly head: string[];
  readonly samples: string[];
}

const COMMENT = /^# (?:HELP|TYPE|UNIT) (\S+)/;
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;

/** One page of the metrics of several processes: the format wants all samples of a metric in one place. */
export function mergeMetrics(texts: readonly LabelledText[]): string {
  const families = new Map<string, Family>();
  for (const { worker, text } of texts) {
    let current: Family | undefined;
    let isNew = false;
    for (const line of text.split('\n')) {
      const name = COMMENT.exec(line)?.[1];
      if (name !== undefined) {
        const known: Family | undefined = families.get(name);
        isNew = known === undefined || (isNew && known === current);
        current = known ?? { head: [], samples: [] };
        families.set(name, current);
        if (isNew) current.head.push(line);
      } else if (line !== '') {
        current?.samples.push(labelled(line, worker));
      }
    }
  }
  return [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`).join('');
}

function labelled(sample: string, worker: string): string {
  const name = NAME.exec(sample)?.[0] ?? '';
  const rest = sample.slice(name.length);
  return rest.startsWith('{') ? `${name}{worker="${worker}",${rest.slice(1)}` : `${name}{worker="${worker}"}${rest}`;
}
