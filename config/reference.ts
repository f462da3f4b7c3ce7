import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { CONFIG } from './schema.ts';

interface Row {
  readonly path: string;
  readonly node: JsonSchema;
  readonly required: boolean;
}

const INTRODUCTION = `# Configuration

Made from the schema (\`config/schema.ts\`) by \`npm run docs\`; do not edit.

One YAML file, named by \`npm start -- --config FILE\` or \`S3GW_CONFIG\`; without one the embedded default
(\`config/default.yaml\`) is used. \`npm start -- --check-config [FILE]\` says whether a file is good. A setting
that is unknown or wrong stops the start, with its path and what was expected.

Any setting can be laid over from the environment: \`S3GW_\` and its path in capitals, levels parted by two
underscores, words by one: \`S3GW_LIMITS__HELD_BODY_BYTES=65536\`, \`S3GW_LISTENERS__0__PORT=9443\`. Values are YAML.
Relative file names start from the folder of the configuration file. Secrets come from files (\`...File\`) or
environment variables (\`...Env\`); the secret of an access key may also stand in the file itself.

Accounts are read again when the file changes, certificates when theirs do; all else waits for a restart.
In paths, \`N\` is the place in a list and \`<name>\` a name of your choice.
`;

/** The reference page, Markdown. */
export function renderReference(): string {
  const root = z.toJSONSchema(CONFIG, { io: 'input' }) as JsonSchema;
  const sections = Object.entries(root.properties ?? {}).map(([name, node]) => {
    const rows = collect(name, node, root.required?.includes(name) === true);
    const lines = rows.map(
      (row) => `| \`${row.path}\` | ${typeOf(row.node)} | ${defaultOf(row)} | ${row.node.description ?? ''} |`,
    );
    return [`## ${name}`, '', '| Setting | Type | Default | Meaning |', '|---|---|---|---|', ...lines, ''].join('\n');
  });
  return [INTRODUCTION, ...sections].join('\n');
}

function collect(path: string, node: JsonSchema, required: boolean): Row[] {
  return [{ path, node, required }, ...below(path, node)];
}

function below(path: string, node: JsonSchema): Row[] {
  const members = Object.entries(node.properties ?? {}).flatMap(([name, child]) =>
    collect(`${path}.${name}`, child, node.required?.includes(name) === true),
  );
  const items = node.items === undefined ? [] : below(`${path}.N`, node.items);
  const named = typeof node.additionalProperties === 'object' ? below(`${path}.<name>`, node.additionalProperties) : [];
  return [...members, ...items, ...named, ...variants(path, node.oneOf ?? node.anyOf ?? [])];
}

/** Alternatives that differ by `kind`: each begins with its own `kind` row. */
function variants(path: string, forms: readonly JsonSchema[]): Row[] {
  return forms.flatMap((form) => below(path, form));
}

function typeOf(node: JsonSchema): string {
  if (node.const !== undefined) return `\`${node.const}\``;
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``).join(', ');
  const forms = node.oneOf ?? node.anyOf;
  if (forms !== undefined) {
    return forms.some(({ properties }) => properties !== undefined)
      ? 'one of the forms below'
      : forms.map(typeOf).join(' or ');
  }
  if (node.type === 'array') return `list of ${node.items?.type ?? 'value'}s`;
  if (typeof node.additionalProperties === 'object') return 'objects by name';
  return [node.type ?? ''].flat().join(' or ');
}

function defaultOf({ node, required }: Row): string {
  if (node.const !== undefined) return '';
  if (node.default !== undefined && node.properties === undefined) return `\`${JSON.stringify(node.default)}\``;
  return required ? 'required' : '';
}
