import { parseArgs } from 'node:util';
import { between } from '../options.ts';
import { PEER_OPTIONS, type PeerPrograms, peerPrograms } from '../servers/peer-servers.ts';

export interface TransferOptions {
  readonly rounds: number;
  /** Milliseconds that the backend waits before each answer. */
  readonly latency: number;
  /** MiB of the one large file. */
  readonly size: number;
  /** Small files, and bytes of each. */
  readonly files: number;
  readonly fileSize: number;
  /** The AWS CLI. */
  readonly aws: string;
  /** A Python that has boto3 and awscrt; absent: no transfers by the CRT. */
  readonly crtPython: string | undefined;
  readonly programs: PeerPrograms;
  /** A second `sync`, which has nothing to do. */
  readonly again: boolean;
  /** Minutes after which no command is begun any more. */
  readonly minutes: number;
  /** Seconds that one command may take. */
  readonly within: number;
  readonly json: boolean;
  readonly markdown: boolean;
}

export const USAGE = `usage: npm run bench:transfers -- [--size MIB] [--files N] [--file-size BYTES] [--rounds N] [--latency MS]
                                   [--aws COMMAND] [--crt-python FILE] [--s3proxy DIR] [--versitygw FILE] [--rclone FILE]
                                   [--skip-again] [--within SECONDS] [--minutes MINUTES] [--json | --markdown]

Times of the AWS CLI against the gateway, and other servers where they are named, over one null backend in alternating
rounds: cp of a large file up and down, sync of many files, rm --recursive.

  --size        MiB of the large file, 16 to 65536 (256)
  --files       number of small files, 1 to 100000 (500)
  --file-size   bytes of each, 0 to 1048576 (4096)
  --rounds      1 to 20 (3)
  --latency     milliseconds that the backend waits before each answer, 0 to 1000 (10)
  --aws         the AWS CLI (aws)
  --crt-python  a Python with boto3 and awscrt, for cp by the CRT
  --s3proxy     folder with the jar of S3Proxy and those that it needs
  --versitygw, --rclone  the programs
  --skip-again  no second sync, which has nothing to do
  --within      seconds after which a command is ended, 10 to 3600 (600)
  --minutes     after which no command is begun any more, 0.1 to 600 (600)
  --json        the result as one JSON document
  --markdown    the result as a table in Markdown`;

/** @throws Error with one line for the caller */
export function parseOptions(argv: readonly string[]): TransferOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rounds: { type: 'string', default: '3' },
      latency: { type: 'string', default: '10' },
      size: { type: 'string', default: '256' },
      files: { type: 'string', default: '500' },
      'file-size': { type: 'string', default: '4096' },
      aws: { type: 'string', default: 'aws' },
      'crt-python': { type: 'string' },
      'skip-again': { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      ...PEER_OPTIONS,
      within: { type: 'string', default: '600' },
      minutes: { type: 'string', default: '600' },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    rounds: Math.floor(between('--rounds', values.rounds, 1, 20)),
    latency: Math.floor(between('--latency', values.latency, 0, 1000)),
    size: Math.floor(between('--size', values.size, 16, 65_536)),
    files: Math.floor(between('--files', values.files, 1, 100_000)),
    fileSize: Math.floor(between('--file-size', values['file-size'], 0, 1024 * 1024)),
    aws: values.aws,
    crtPython: values['crt-python'],
    programs: peerPrograms(values),
    again: !values['skip-again'],
    minutes: between('--minutes', values.minutes, 0.1, 600),
    within: between('--within', values.within, 10, 3600),
    json: values.json,
    markdown: values.markdown,
  };
}
