import { execFileSync, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const BOTO3 = '1.44.5';
const CHILD_MS = 30_000;

/** What a form shall allow. */
export interface PostRequest {
  readonly bucket: string;
  readonly key: string;
  /** Fields of the form; each allowed as it is. */
  readonly fields: Readonly<Record<string, string>>;
  readonly conditions: readonly unknown[];
  /** Seconds. */
  readonly expiresIn: number;
}

/** As the SDKs give it to whoever makes a page. */
export interface PresignedPost {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface Asked {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  readonly posts: readonly PostRequest[];
}

/** Lets an SDK sign forms, in a process of its own. */
export type SignPosts = (asked: Asked) => Promise<readonly PresignedPost[]>;

/** By the names of SDKs; undefined: it is not to be had here. */
export function presignedPostSdks(): Readonly<Record<string, SignPosts | undefined>> {
  const python = findBoto3();
  return {
    '@aws-sdk/s3-presigned-post': (asked) => signBy(process.execPath, 'aws-sdk.mjs', asked),
    boto3: python === undefined ? undefined : (asked) => signBy(python, 'boto3-client.py', asked),
  };
}

async function signBy(command: string, script: string, asked: Asked): Promise<readonly PresignedPost[]> {
  const child = spawn(command, [join(import.meta.dirname, script)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: CHILD_MS,
    // No credentials or settings of whoever runs the tests.
    env: { PATH: process.env['PATH'], AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' },
  });
  child.stdin.end(JSON.stringify(asked));
  return JSON.parse(await text(child.stdout)) as PresignedPost[];
}

/** A Python with boto3: `PYTHON` names it, else that in the PATH, else from PyPI. In CI it must be there. */
function findBoto3(): string | undefined {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 's3-cloud-gateway', `boto3-${BOTO3}`);
  const ours = join(folder, 'bin/python');
  const found = [process.env['PYTHON'] ?? 'python3', ours].find(hasBoto3);
  if (found !== undefined) return found;
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'pipe' });
    execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', `boto3==${BOTO3}`], {
      stdio: 'pipe',
      timeout: 150_000,
    });
    return ours;
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error;
    process.stderr.write('\n!!! SKIPPED: no boto3 here, and none to be had from PyPI !!!\n\n');
    return undefined;
  }
}

function hasBoto3(python: string): boolean {
  try {
    execFileSync(python, ['-c', 'import boto3'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}
