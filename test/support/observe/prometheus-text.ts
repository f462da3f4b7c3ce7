export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const TYPES = ['counter', 'gauge', 'histogram'];
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/;

/**
 * The text format of Prometheus, read strictly: https://prometheus.io/docs/instrumenting/exposition_formats/
 * @throws Error naming the line that is wrong
 */
export function parseMetrics(text: string): readonly Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const types = new Map<string, string>();
  const seen = new Set<string>();
  return text
    .slice(0, -1)
    .split('\n')
    .flatMap((line) => {
      const [, type, name, kind = ''] = /^# (HELP|TYPE|UNIT) (\S+) (.*)$/.exec(line) ?? [];
      if (name !== undefined) {
        if (type === 'TYPE' && (!TYPES.includes(kind) || types.has(name))) throw new Error(`type: ${line}`);
        if (type === 'TYPE') types.set(name, kind);
        return [];
      }
      if (line === '') return [];
      const sample = parseSample(line);
      const identity = line.slice(0, line.lastIndexOf(' '));
      if (seen.has(identity)) throw new Error(`twice: ${line}`);
      seen.add(identity);
      if (!types.has(sample.name) && types.get(sample.name.replace(/_(?:bucket|sum|count)$/, '')) !== 'histogram') {
        throw new Error(`no type: ${line}`);
      }
      return [sample];
    });
}

function parseSample(line: string): Sample {
  const [, name, inner = '', value = ''] = SAMPLE.exec(line) ?? [];
  const number = value === '+Inf' ? Infinity : Number(value);
  if (name === undefined || Number.isNaN(number)) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  for (let rest = inner; rest !== ''; ) {
    const [whole = '', label, text = ''] = LABEL.exec(rest) ?? [];
    if (label === undefined) throw new Error(`labels: ${line}`);
    labels[label] = text.replaceAll(/\\([\\n"])/g, (_escape, character: string) =>
      character === 'n' ? '\n' : character,
    );
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: number };
}
