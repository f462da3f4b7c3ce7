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
