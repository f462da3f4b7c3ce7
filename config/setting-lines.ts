import type { z } from 'zod';

/**
 * One line for each fault: the path of the setting, what was expected, and the environment variable that the value came
 * from.
 * @param variables those that said a setting, by its path
 */
export function settingLines(error: z.ZodError, variables: ReadonlyMap<string, string> = new Map()): string[] {
  return error.issues.flatMap((issue) =>
    complaintsOf(issue).map(({ path, complaint }) => {
      const variable = variableOf(path, variables);
      return `${path === '' ? 'configuration' : path}: ${complaint}${variable === undefined ? '' : ` (from ${variable})`}`;
    }),
  );
}

/** The variable that the setting came from, or without which its section would not exist. */
function variableOf(path: string, variables: ReadonlyMap<string, string>): string | undefined {
  for (let place = path; place !== ''; place = place.slice(0, Math.max(0, place.lastIndexOf('.')))) {
    const variable = variables.get(place);
    if (variable !== undefined) return variable;
  }
  return undefined;
}

/** Says what was expected for a setting that is missing, instead of "received undefined". */
export function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return `expected ${issue.expected}, but it is missing`;
  }
  return undefined;
}

interface Complaint {
  /** Empty: the configuration as a whole. */
  readonly path: string;
  readonly complaint: string;
}

function complaintsOf(issue: z.core.$ZodIssue): Complaint[] {
  const where = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: where === '' ? key : `${where}.${key}`,
      complaint: 'there is no such setting',
    }));
  }
  return [{ path: where, complaint: issue.message.replace(/^Invalid (?:input|string|option): /, '') }];
}

/** What is wrong with a configuration: one line for each setting, its path and what was expected. */
export class ConfigError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[], cause?: unknown) {
    super(lines.join('\n'), { cause });
    this.name = 'ConfigError';
    this.lines = lines;
  }
}
