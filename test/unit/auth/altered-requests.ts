import { expect } from 'vitest';
import type { RawRequest } from '../../../src/auth/raw-request.ts';
import { S3Error } from '../../../src/errors/s3-error.ts';
import { judge, sdkSigned, type Headers, type ToSign } from './signed-requests.ts';

interface Expected {
  readonly code: string;
  readonly status: number;
  readonly message?: string | RegExp;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Headers;
}

export interface Case {
  readonly name: string;
  readonly sign?: ToSign;
  /** Changes the signed request on its way. */
  readonly change?: (raw: RawRequest) => RawRequest;
  readonly expected: Expected;
}

export function withHeader(name: string, value: string | undefined, add = false): (raw: RawRequest) => RawRequest {
  return (raw) => {
    const rawHeaders: string[] = [];
    for (let i = 0; i < raw.rawHeaders.length; i += 2) {
      if (add || raw.rawHeaders[i]?.toLowerCase() !== name) {
        rawHeaders.push(raw.rawHeaders[i] ?? '', raw.rawHeaders[i + 1] ?? '');
      }
    }
    return { ...raw, rawHeaders: value === undefined ? rawHeaders : [...rawHeaders, name, value] };
  };
}

function editHeader(name: string, edit: (value: string) => string): (raw: RawRequest) => RawRequest {
  return (raw) => {
    const at = raw.rawHeaders.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === name);
    return withHeader(name, edit(raw.rawHeaders[at + 1] ?? ''))(raw);
  };
}

export const later =
  (ms: number) =>
  (raw: RawRequest): RawRequest => ({ ...raw, now: raw.now + ms });
export const edit = (from: string | RegExp, to: string) =>
  editHeader('authorization', (value) => value.replace(from, to));
export const editTarget =
  (from: string | RegExp, to: string) =>
  (raw: RawRequest): RawRequest => ({ ...raw, rawTarget: raw.rawTarget.replace(from, to) });
export const SHA = 'x-amz-content-sha256';
export const MINUTE = 60_000;
export const QUERY_ERROR = { code: 'AuthorizationQueryParametersError', status: 400 };

export async function refusal(entry: Case, presigned: ToSign): Promise<S3Error> {
  const signed = await sdkSigned({ ...presigned, ...entry.sign });
  const raw = entry.change?.(signed) ?? signed;
  if (entry.sign === undefined) {
    expect(judge(signed).kind, 'unchanged, the request is good').toBe('signed');
  }
  try {
    judge(raw);
  } catch (error) {
    if (error instanceof S3Error) {
      return error;
    }
    throw error;
  }
  throw new Error('the request was accepted');
}

export function expectAnswer(error: S3Error, expected: Expected): void {
  expect({ code: error.code, status: error.status }).toEqual({ code: expected.code, status: expected.status });
  if (expected.message !== undefined) {
    expect(error.message).toMatch(expected.message);
  }
  expect(error.extra).toMatchObject(expected.extra ?? {});
  expect(error.headers).toMatchObject(expected.headers ?? {});
}
