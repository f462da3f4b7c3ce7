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

/** Exactly one of the fields must be set. */
export function exactlyOne<T extends object>(
  ...fields: readonly string[]
): (value: T, context: z.RefinementCtx<T>) => void {
  return (value, context) => {
    const given = fields.filter((field) => (value as Readonly<Record<string, unknown>>)[field] !== undefined);
    if (given.length !== 1) {
      context.addIssue({ code: 'custom', path: [], message: `expected exactly one of ${fields.join(', ')}` });
    }
  };
}
