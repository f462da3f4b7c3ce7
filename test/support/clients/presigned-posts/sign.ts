import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findBoto3 } from '../boto3.ts';

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
