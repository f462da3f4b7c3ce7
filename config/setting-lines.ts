import type { z } from 'zod';

/** A line for each thing that is wrong: the path of the setting, and what was expected. */
export function settingLines(error: z.ZodError): string[] {
  return error.issues.flatMap(toLines);
}

/** Says what was expected for a setting that is missing, instead of "received undefined". */
export function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return `expected ${issue.expected}, but it is missing`;
  }
  return undefined;
}

function toLines(issue: z.core.$ZodIssue): string[] {
  const where = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${where === '' ? key : `${where}.${key}`}: there is no such setting`);
  }
  return [
    `${where === '' ? 'configuration' : where}: ${issue.message.replace(/^Invalid (?:input|string|option): /, '')}`,
  ];
}
