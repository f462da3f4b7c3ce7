import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, isNode, isScalar, parseDocument, type Pair, type YAMLMap } from 'yaml';
import type { JsonSchema } from '../../config/json-schema.ts';

const CHART = resolve(import.meta.dirname, '..');

const INTRODUCTION = `# s3-cloud-gateway: Helm chart

Made from \`values.yaml\` by \`npm run docs\`; do not edit.

An S3 endpoint in front of Azure Blob Storage and Google Cloud Storage: any number of pods that share nothing. How to
install it on AKS and GKE, what stands in front of it, upgrades and what to look at when something is wrong:
[docs/kubernetes.md](../docs/kubernetes.md).

\`\`\`sh
helm install s3 helm/ --namespace storage --create-namespace --values my-values.yaml
helm test s3 --namespace storage --logs
\`\`\`

The smallest values that work are in \`ci/minimal-values.yaml\`; \`ci/dev-values.yaml\` needs no cloud at all.
\`values.schema.json\` checks every name and type, the gateway's own settings under \`config\` included, before anything
reaches the cluster.

## Values
`;

interface Row {
  readonly path: string;
  readonly comment: string;
  readonly value: unknown;
  readonly schema: JsonSchema;
}

/** The chart's README, Markdown. @throws Error when values.yaml and its schema do not have the same names */
export function renderReadme(valuesSchema: string): string {
  const values = parseDocument(readFileSync(resolve(CHART, 'values.yaml'), 'utf8')).contents;
  if (!isMap(values)) throw new Error('values.yaml is no map');
  const rows = collect(values, JSON.parse(valuesSchema) as JsonSchema, '');
  const lines = rows.map(
    ({ path, comment, value, schema }) => `| \`${path}\` | ${typeOf(schema)} | ${defaultOf(value)} | ${comment} |`,
  );
  return [INTRODUCTION, '| Value | Type | Default | Meaning |', '|---|---|---|---|', ...lines, ''].join('\n');
}

function collect(map: YAMLMap, schema: JsonSchema, prefix: string): Row[] {
  const missing = Object.keys(schema.properties ?? {}).filter((name) => name !== 'global' && !map.has(name));
  if (missing.length > 0 && !prefix.startsWith('probes.')) {
    throw new Error(`values.yaml: ${prefix}${missing.join(', ')} is only in the schema`);
  }
  return map.items.flatMap((pair, index) =>
    rowsOf(pair, {
      schema,
      prefix,
      // The comment before the first name of a map belongs to the map, as the parser sees it.
      first: index === 0 ? map.commentBefore : undefined,
    }),
  );
}

interface Place {
  readonly schema: JsonSchema;
  readonly prefix: string;
  readonly first: string | null | undefined;
}

function rowsOf({ key, value }: Pair, { schema, prefix, first }: Place): Row[] {
  if (!isScalar(key)) throw new Error('values.yaml: names are strings');
  const name = String(key.value);
  const path = `${prefix}${name}`;
  const child = schema.properties?.[name];
  if (child === undefined) throw new Error(`values.yaml: ${path} is not in the schema`);
  const comment = (key.commentBefore ?? first ?? '').trim().replaceAll(/\n\s*/g, ' ').replaceAll('|', '\\|');
  // Maps with names of our own are taken apart; those with names of the user's, or of Kubernetes, are one row.
  if (isMap(value) && name !== 'config' && child.properties !== undefined && child.additionalProperties === false) {
    return collect(value, child, `${path}.`);
  }
  return [{ path, comment, value: isNode(value) ? value.toJSON() : value, schema: child }];
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum !== undefined) {
    return schema.enum
      .filter((value) => value !== '')
      .map((value) => `\`${value}\``)
      .join(', ');
  }
  const forms = schema.anyOf ?? [];
  if (forms.length > 0) return [...new Set(forms.map(typeOf).filter((type) => type !== 'null'))].join(' or ');
  return schema.type === 'array' ? `list of ${schema.items?.type ?? 'value'}s` : (schema.type ?? '');
}

function defaultOf(value: unknown): string {
  return value === undefined || value === null || value === ''
    ? ''
    : `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``;
}
