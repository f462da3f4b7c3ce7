import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TransferOptions } from './options.ts';
import type { Server } from './servers.ts';

/** Files of the run, made before it. */
export interface Files {
  /** For what is fetched. */
  readonly folder: string;
  readonly large: string;
  readonly many: string;
}

/** One command of a client. */
export interface Transfer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** What it fetches; to be compared with the large file. */
  readonly fetched?: string;
  /** Whether a listing below `many` shows keys afterwards; absent: nobody looks. */
  readonly leavesKeys?: boolean;
}

export const BUCKET = 'transfers';

export function transfers(options: TransferOptions, { folder, large, many }: Files): readonly Transfer[] {
  const { aws: command, crtPython } = options;
  const fetched = join(folder, 'fetched');
  const aws = (...args: string[]): Pick<Transfer, 'command' | 'args'> => ({
    command,
    args: ['s3', ...args, '--only-show-errors'],
  });
  const crt = (...args: string[]): Pick<Transfer, 'command' | 'args'> => ({
    command: crtPython ?? '',
    args: [join(import.meta.dirname, 'crt.py'), ...args, BUCKET, 'large-crt'],
  });
  const byCrt: Transfer[] = [
    { name: 'cp up, CRT', ...crt('up', large) },
    { name: 'cp down, CRT', ...crt('down', fetched), fetched },
  ];
  return [
    { name: 'cp up', ...aws('cp', large, `s3://${BUCKET}/large`) },
    { name: 'cp down', ...aws('cp', `s3://${BUCKET}/large`, fetched), fetched },
    ...(crtPython === undefined ? [] : byCrt),
    { name: 'sync', ...aws('sync', many, `s3://${BUCKET}/many`), leavesKeys: true },
    ...(options.again ? [{ name: 'sync again', ...aws('sync', many, `s3://${BUCKET}/many`) }] : []),
    { name: 'rm --recursive', ...aws('rm', '--recursive', `s3://${BUCKET}/many`), leavesKeys: false },
  ];
}

/** @throws Error with what the command said, when it fails or takes too long */
export async function run(
  { command, args }: Pick<Transfer, 'command' | 'args'>,
  { endpoint, accessKey, secretKey }: Server,
  seconds: number,
): Promise<string> {
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey,
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ENDPOINT_URL: endpoint,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const { stdout } = await promisify(execFile)(command, [...args], { env, timeout: seconds * 1000 });
  return stdout;
}
