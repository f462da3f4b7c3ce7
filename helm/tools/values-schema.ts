import { z } from 'zod';
import { CONFIG } from '../../config/schema.ts';
import type { JsonSchema } from '../../config/json-schema.ts';
import { VALUES } from './values.ts';

/** Settings that the chart makes itself, or that have no place in a ConfigMap: paths through `properties` and lists. */
const NOT_FROM_VALUES: readonly (readonly string[])[] = [
  ['listeners'],
  ['admin', 'enabled'],
  ['admin', 'inspector'],
  ['admin', 'host'],
  ['admin', 'port'],
  ['timeouts', 'drainMs'],
  ['timeouts', 'drainDelayMs'],
  ['sts', 'keys'],
  ['accounts', '*', 'keys', '*', 'secretAccessKey'],
  ['accounts', '*', 'users', '*', 'keys', '*', 'secretAccessKey'],
];

/** Azurite is not in the image. */
const KINDS_LEFT_OUT = ['azurite'];

/** values.schema.json: the values of the chart, and under `config` the gateway's own settings. */
export function renderValuesSchema(): string {
  const schema = plain(z.toJSONSchema(VALUES, { io: 'input' }) as JsonSchema);
  return `${JSON.stringify({ ...schema, properties: { ...schema.properties, config: configSchema() } }, undefined, 1)}\n`;
}

function configSchema(): JsonSchema {
  const { $schema: _, ...config } = NOT_FROM_VALUES.reduce(
    without,
    plain(z.toJSONSchema(CONFIG, { io: 'input' }) as JsonSchema),
  );
  const backends = config.properties?.['backends'];
  if (typeof backends?.additionalProperties !== 'object') throw new Error('the configuration has no backends by name');
  const { oneOf = [], ...rest } = backends.additionalProperties;
  const kinds = oneOf.filter((form) => !KINDS_LEFT_OUT.includes(form.properties?.['kind']?.const ?? ''));
  return {
    ...config,
    properties: { ...config.properties, backends: { ...backends, additionalProperties: { ...rest, oneOf: kinds } } },
  };
}

function without(node: JsonSchema, path: readonly string[]): JsonSchema {
  const [name = '', ...rest] = path;
  if (name === '*') return { ...node, items: without(node.items ?? {}, rest) };
  const { [name]: child, ...others } = node.properties ?? {};
  if (child === undefined) throw new Error(`the configuration has no ${path.join('.')}`);
  if (rest.length > 0) return { ...node, properties: { ...node.properties, [name]: without(child, rest) } };
  return {
    ...node,
    properties: others,
    ...(node.required !== undefined && { required: node.required.filter((one) => one !== name) }),
  };
}

/** Regular expressions of Helm know neither look-around nor all classes of Unicode; safe integers need no bounds. */
function plain(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string' && /\(\?[=!<]|\\[pu]/.test(value)) return undefined;
    if ((key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) {
      return undefined;
    }
    return value;
  }) as JsonSchema;
}
