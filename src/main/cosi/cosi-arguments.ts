import { readFileSync } from 'node:fs';
import { ADMIN_PORT_OPTIONS, adminPortOf } from '../admin-port-options.ts';
import { parseCommandLine, usageError } from '../command-line.ts';
import { StartError } from '../start-error.ts';

export interface CosiArguments {
  /** Path of the socket on which the sidecar calls. */
  readonly socket: string;
  /** What BucketClasses and BucketAccessClasses call the driver. */
  readonly name: string;
  /** Base URL of the gateways' admin port. */
  readonly url: string;
  /** With the token of the admin port; read for each call, as it may be replaced. */
  readonly tokenFile: string;
  /** What the keys of pods are derived from. */
  readonly seed: string;
  /** S3 endpoint and region that pods are told. */
  readonly endpoint: string;
  readonly region: string;
  /** Owner of buckets whose class names none. */
  readonly account: string | undefined;
}

const DEFAULT_SOCKET = 'unix:///var/lib/cosi/cosi.sock';
const MIN_SEED = 32;

export const COSI_USAGE = `usage: npm run cosi -- --name DRIVER --endpoint URL --token-file FILE --seed-file FILE
                       [--region R] [--account A] [--url URL] [--socket PATH]
The driver of the Container Object Storage Interface: makes buckets and keys for Kubernetes' BucketClaims and BucketAccesses.
--name       what classes call it (driverName), unique in the cluster
--endpoint   S3 endpoint that pods are told; --region: its region, default us-east-1
--account    owner of the buckets whose class names none
--url        admin port of the gateways, or GATEWAY_ADMIN_URL; default http://127.0.0.1:9001
--token-file file with a token that may manage; read again for each call
--seed-file  file with ${MIN_SEED} characters or more, of which the keys are made: never change it
--socket     where COSI's sidecar calls, or COSI_ENDPOINT; default ${DEFAULT_SOCKET}`;

const OPTIONS = {
  name: { type: 'string' },
  endpoint: { type: 'string' },
  region: { type: 'string', default: 'us-east-1' },
  account: { type: 'string' },
  ...ADMIN_PORT_OPTIONS,
  'seed-file': { type: 'string' },
  socket: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @returns undefined when help is asked for @throws StartError what is wrong with the command line */
export function parseCosiArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CosiArguments | undefined {
  const { values } = parseCommandLine({ args: [...argv], options: OPTIONS }, COSI_USAGE);
  if (values.help === true) return undefined;
  const required = (option: 'name' | 'endpoint' | 'token-file' | 'seed-file'): string => {
    const value = values[option];
    if (value === undefined) throw usageError(`--${option}: expected a value`, COSI_USAGE);
    return value;
  };
  const tokenFile = required('token-file');
  // Of the token only that it can be read.
  const { url } = adminPortOf({ url: values.url, 'token-file': tokenFile }, environment);
  return {
    name: driverName(required('name')),
    endpoint: endpointUrl(required('endpoint')),
    url,
    socket: socketPath(values.socket ?? environment['COSI_ENDPOINT'] ?? DEFAULT_SOCKET),
    region: values.region,
    account: values.account,
    tokenFile,
    seed: seedIn(required('seed-file')),
  };
}

/** As the specification of COSI has it. */
function driverName(text: string): string {
  if (/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/i.test(text)) return text;
  throw new StartError([`--name: expected up to 63 letters, digits, dots and dashes, got ${text}`]);
}

function endpointUrl(text: string): string {
  if (/^https?:\/\/[^/?#@\s]+\/?$/.test(text)) return text.replace(/\/$/, '');
  throw new StartError([`--endpoint: expected http://HOST:PORT, got ${text}`]);
}

function socketPath(text: string): string {
  const path = text.replace(/^unix:(\/\/)?/, '');
  if (!path.startsWith('/')) throw new StartError([`--socket: expected an absolute path, got ${text}`]);
  return path;
}

function seedIn(file: string): string {
  let seed: string;
  try {
    seed = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new StartError([`--seed-file: ${file} cannot be read`], error);
  }
  if (seed.length < MIN_SEED) throw new StartError([`--seed-file: expected ${MIN_SEED} characters or more in ${file}`]);
  return seed;
}
