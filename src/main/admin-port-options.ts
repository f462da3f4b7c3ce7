import { readFileSync } from 'node:fs';
import { StartError } from './start-error.ts';

const DEFAULT_URL = 'http://127.0.0.1:9001';

/** Options of commands that ask the admin port of a gateway. */
export const ADMIN_PORT_OPTIONS = { url: { type: 'string' }, 'token-file': { type: 'string' } } as const;

export const ADMIN_PORT_USAGE = `--url        admin port, or GATEWAY_ADMIN_URL; default ${DEFAULT_URL}
--token-file file with the token of the admin port, or GATEWAY_ADMIN_TOKEN with the token itself`;

/** Where the admin port is, and what is shown there. */
export interface AdminPort {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  readonly token: string | undefined;
}

/** @throws StartError */
export function adminPortOf(
  { url, 'token-file': file }: { readonly url?: string | undefined; readonly 'token-file'?: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): AdminPort {
  return {
    url: urlOf(url ?? environment['GATEWAY_ADMIN_URL'] ?? DEFAULT_URL),
    token: file === undefined ? environment['GATEWAY_ADMIN_TOKEN'] : tokenIn(file),
  };
}

function urlOf(text: string): string {
  if (!/^https?:\/\/[^/]+\/?$/.test(text)) throw new StartError([`--url: expected http://HOST:PORT, got ${text}`]);
  return text.replace(/\/$/, '');
}

function tokenIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n')[0]?.trim() ?? '';
  } catch (error) {
    throw new StartError([`--token-file: ${file} cannot be read`], error);
  }
}
