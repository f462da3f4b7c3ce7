import { z } from 'zod';

export const PORT = z.int().min(0).max(65535);

export function milliseconds(fallback: number): z.ZodDefault<z.ZodInt> {
  return z.int().min(0).default(fallback);
}

export function bytes(fallback: number): z.ZodDefault<z.ZodInt> {
  return z.int().min(0).default(fallback);
}

/** A file name; relative ones are taken from the folder of the configuration file. */
export function path(description: string): z.ZodString {
  return z.string().min(1).describe(description);
}

/** How the gateway asks a Kubernetes API server. */
export const KUBERNETES_API = {
  server: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('API server; default the one of the cluster that the gateway runs in.'),
  tokenFile: path('Token that the gateway shows to the API server; default that of its service account.').optional(),
  caFile: path("PEM file with the authority of the API server's certificate; default the cluster's.").optional(),
};

/** Names of the fields that can hold one secret: `<name>File`, `<name>Env`. */
export function secretFrom<const N extends string>(
  name: N,
  what: string,
): Record<`${N}File` | `${N}Env`, z.ZodOptional<z.ZodString>> {
  const fields = {
    [`${name}File`]: path(`File that holds ${what}, without line break.`).optional(),
    [`${name}Env`]: z.string().min(1).optional().describe(`Environment variable that holds ${what}.`),
  };
  return fields as Record<`${N}File` | `${N}Env`, z.ZodOptional<z.ZodString>>;
}

/** Faults in a combination of settings, each of which is right by itself. */
export interface SettingFault {
  readonly path: (string | number)[];
  /** What was expected. */
  readonly message: string;
}

/** Exactly one of the fields must be set. */
export function exactlyOne<T extends object>(
  ...fields: readonly string[]
): (value: T, context: z.RefinementCtx<T>) => void {
  return (value, context) => {
    if (countOf(value, fields) === 1) return;
    context.addIssue({ code: 'custom', path: [], message: `expected exactly one of ${fields.join(', ')}` });
  };
}

/** One of the fields may be set, or none. */
export function atMostOne<T extends object>(
  ...fields: readonly string[]
): (value: T, context: z.RefinementCtx<T>) => void {
  return (value, context) => {
    if (countOf(value, fields) <= 1) return;
    context.addIssue({ code: 'custom', path: [], message: `expected at most one of ${fields.join(', ')}` });
  };
}

function countOf(value: object, fields: readonly string[]): number {
  return fields.filter((field) => (value as Readonly<Record<string, unknown>>)[field] !== undefined).length;
}
