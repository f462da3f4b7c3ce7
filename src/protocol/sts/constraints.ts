import { StsError } from '../../errors/sts-error.ts';
import type { StsForm } from './form.ts';

/** What a parameter must be; messages as AWS's services write them. */
interface Constraint {
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
}

export const ARN: Constraint = {
  min: 20,
  max: 2048,
  // oxlint-disable-next-line no-control-regex -- AWS's own pattern
  pattern: /^[\u0009\u000a\u000d\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd]+$/,
};
export const SESSION_NAME: Constraint = { min: 2, max: 64, pattern: /^[\w+=,.@-]*$/ };
export const EXTERNAL_ID: Constraint = { min: 2, max: 1224, pattern: /^[\w+=,.@:/-]*$/ };
// oxlint-disable-next-line no-control-regex -- AWS's own pattern
export const POLICY: Constraint = { min: 1, max: 2048, pattern: /^[\u0009\u000a\u000d\u0020-\u00ff]+$/ };
export const TAG_KEY: Constraint = { min: 1, max: 128, pattern: /^[\p{L}\p{Z}\p{N}_.:/=+\-@]+$/u };
export const TAG_VALUE: Constraint = { min: 0, max: 256, pattern: /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u };
export const WEB_IDENTITY_TOKEN: Constraint = { min: 4, max: 20_000 };

/** @throws StsError ValidationError */
export function optional(form: StsForm, name: string, constraint: Constraint): string | undefined {
  const value = form.get(name);
  if (value !== undefined) check(name, value, constraint);
  return value;
}

/** @throws StsError ValidationError */
export function required(form: StsForm, name: string, constraint: Constraint): string {
  const value = optional(form, name, constraint);
  if (value === undefined) throw violated('null', field(name), 'Member must not be null');
  return value;
}

/** @throws StsError ValidationError */
export function check(name: string, value: string, { min = 0, max = Infinity, pattern }: Constraint): void {
  if (value.length < min) throw violated(value, field(name), `Member must have length greater than or equal to ${min}`);
  if (value.length > max) throw violated(value, field(name), `Member must have length less than or equal to ${max}`);
  if (pattern?.test(value) === false) {
    throw violated(value, field(name), `Member must satisfy regular expression pattern: ${pattern.source}`);
  }
}

interface Seconds {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}

/** Whole seconds within bounds. @throws StsError ValidationError */
export function seconds(form: StsForm, name: string, { min, max, fallback }: Seconds): number {
  const text = form.get(name);
  if (text === undefined) return fallback;
  if (!/^-?\d{1,9}$/.test(text)) throw violated(text, field(name), 'Member must be an integer');
  const value = Number(text);
  if (value < min) throw violated(text, field(name), `Member must have value greater than or equal to ${min}`);
  if (value > max) throw violated(text, field(name), `Member must have value less than or equal to ${max}`);
  return value;
}

const MAX_ECHO = 200;

function violated(value: string, at: string, constraint: string): StsError {
  // Policies and tokens are long, and a token is a secret.
  const shown =
    value === 'null' ? value : at === 'webIdentityToken' ? "'...'" : `'${value.slice(0, MAX_ECHO).toWellFormed()}'`;
  return new StsError(
    'ValidationError',
    `1 validation error detected: Value ${shown} at '${at}' failed to satisfy constraint: ${constraint}`,
  );
}

function field(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
