import { parseArgs } from 'node:util';
import { PEER_OPTIONS, type PeerPrograms, peerPrograms } from './servers/peer-servers.ts';

export interface BenchOptions {
  readonly rounds: number;
  /** Of one measurement; a large body begun is finished. */
  readonly seconds: number;
  /** Parts of names of the work to be done; empty: all. */
  readonly only: readonly string[];
  readonly json: boolean;
  /** Compare the gateway with itself: everything that watches it on, and off. */
  readonly observed: boolean;
  /** Compare the gateway with itself: twenty statements in force, and none. */
  readonly policies: boolean;
  /**
   * How often both gateways are started anew: the compiler's choices differ from one start to the next by several
   * hundredths.
   */
  readonly starts: number;
  /** Milliseconds that the backend waits before each answer. */
  readonly latency: number;
  /** Other S3 servers, started by hand over the backend of this run or another one. */
  readonly peers: readonly PeerOption[];
  /** Other S3 servers that the bench starts itself, over its backend. */
  readonly programs: PeerPrograms;
  /** Nothing beside gateway and proxy: neither other servers nor a gateway on all cores. */
  readonly alone: boolean;
  /** Only rows that have a goal. */
  readonly goals: boolean;
  /** Minutes after which no row is begun any more. */
  readonly within: number;
  /** Folder for profiles of the rows that missed their goal, or with `only` of all. */
  readonly profile: string | undefined;
  readonly markdown: boolean;
  /** Where the backend listens; 0: anywhere. */
  readonly backendPort: number;
  /** Whose wire the backend speaks. */
  readonly backend: 'azure' | 'gcs';
  /** Compare a replica of so many workers with one of a single one; 1: do not. */
  readonly workers: number;
  /** Measure what is resident with 512 slow readers and 256 writers. */
  readonly memory: boolean;
  /** Measure what small reads wait longer beside 64 large transfers. */
  readonly fair: boolean;
  readonly slowReaders: boolean;
  /** TLS between gateway, or proxy, and the backend. */
  readonly backendTls: boolean;
}

export interface PeerOption {
  readonly name: string;
  readonly port: number;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export const USAGE = `usage: npm run bench -- [--rounds N] [--seconds N] [--only NAME[,NAME...] | --goals] [--latency MS]
                         [--s3proxy DIR] [--versitygw FILE] [--rclone FILE] [--alone]
                         [--within MINUTES] [--profile DIR]
                         [--json | --markdown]
                         [--backend azure|gcs] [--backend-tls] [--peer NAME=URL]... [--backend-port N]
                         [--observed | --policies [--starts N] | --workers N | --memory | --fair |
                         --slow-readers]

Compares the gateway, one process started as the test bed does, with a bare undici proxy in front of the same null
backend: the same work in alternating rounds, medians of the ratios. Beside them in the same rounds: a gateway with a
worker for each core, and other S3 servers that are there.

  --rounds   rounds per work, 1 to 200 (3)
  --seconds  of each measurement, 0.2 to 60 (2.5)
  --only     work whose name contains one of these, e.g. get-4k,put
  --goals    only work that has a goal
  --s3proxy, --versitygw, --rclone  start these over the null backend, and measure them in the same rounds: folder with
             the jars of S3Proxy, the other two programs; else they are looked for in the user's cache folder, below
             s3-cloud-gateway/peers/
  --alone    neither other servers nor a gateway on all cores
  --within   minutes after which no row is begun any more, 1 to 600 (600)
  --profile  folder for a profile of the gateway in each row that missed its goal, or with --only in each; what takes
             most is told below the table
  --latency  milliseconds that the backend waits before each answer, 0 to 1000 (0): shows round trips
  --peer     another S3 server, as NAME=http://KEY:SECRET@127.0.0.1:PORT, measured in the same rounds; may be repeated.
             It must answer within a minute of the start. Its region is us-east-1, or what stands behind a # at the end
  --backend-port  where the null backend listens, so that peers can be told before it runs (any)
  --backend  whose wire the null backend speaks, Azure's or Google's (azure)
  --backend-tls  TLS to the backend, for gateway and proxy: nginx before it, or its own where there is no nginx
  --json     the result as one JSON document on standard output
  --markdown the result as a table in Markdown, with the machine it was found on
  --observed compares the gateway with metrics, journal, inspector and traces (1 % sampled) to the gateway with
             all of that off, instead of to the proxy; small requests only
  --policies compares GETs from a bucket whose policy has twenty statements to those from one without, in many short
             turns (60 rounds of 0.25 seconds): what there is to see is less than what the machine does to longer ones
  --workers  compares a replica of so many workers, 2 to 16, with one of a single worker; says when the machine has no
             cores free for it, and then gives no verdict
  --memory   what is resident at most with 1,000 slow readers and 256 writers at once, for 20 seconds
  --fair     how much longer 99 of 100 reads of 4 KiB take at most beside 64 transfers of 16 MiB, half of them uploads
  --slow-readers  the same, reads and writes, beside 1,000 clients that read 64 MiB at 64 KiB/s, and what is resident
  --starts   how often both are started anew, 1 to 20 (3)`;

/** @throws Error with one line for the caller */
export function parseOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      observed: { type: 'boolean', default: false },
      policies: { type: 'boolean', default: false },
      starts: { type: 'string', default: '3' },
      latency: { type: 'string', default: '0' },
      peer: { type: 'string', multiple: true, default: [] },
      'backend-port': { type: 'string', default: '0' },
      backend: { type: 'string', default: 'azure' },
      'backend-tls': { type: 'boolean', default: false },
      workers: { type: 'string', default: '1' },
      memory: { type: 'boolean', default: false },
      fair: { type: 'boolean', default: false },
      'slow-readers': { type: 'boolean', default: false },
      goals: { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
      within: { type: 'string', default: '600' },
      profile: { type: 'string' },
      markdown: { type: 'boolean', default: false },
      ...PEER_OPTIONS,
    },
  });
  if ((values.observed || values.policies) && (values['backend-tls'] || values.backend !== 'azure')) {
    throw new Error('--backend and --backend-tls: not with --observed or --policies');
  }
  const seconds = values.memory ? '20' : '2.5';
  const turns = values.policies ? { rounds: '60', seconds: '0.25' } : { rounds: '3', seconds };
  return {
    rounds: Math.floor(between('--rounds', values.rounds ?? turns.rounds, 1, 200)),
    seconds: between('--seconds', values.seconds ?? turns.seconds, 0.2, 60),
    only: values.only.split(',').filter((name) => name !== ''),
    json: values.json,
    observed: values.observed,
    policies: values.policies,
    starts: Math.floor(between('--starts', values.starts, 1, 20)),
    latency: Math.floor(between('--latency', values.latency, 0, 1000)),
    peers: values.peer.map(peerOption),
    backendPort: Math.floor(between('--backend-port', values['backend-port'], 0, 65_535)),
    backend: oneOf('--backend', values.backend, ['azure', 'gcs'] as const),
    backendTls: values['backend-tls'],
    workers: Math.floor(between('--workers', values.workers, 1, 16)),
    memory: values.memory,
    fair: values.fair,
    slowReaders: values['slow-readers'],
    goals: values.goals,
    within: between('--within', values.within, 1, 600),
    profile: values.profile,
    markdown: values.markdown,
    programs: peerPrograms({ s3proxy: values.s3proxy, versitygw: values.versitygw, rclone: values.rclone }),
    alone: values.alone,
  };
}

function peerOption(text: string): PeerOption {
  const [, name, address] = /^([\w-]+)=(.+)$/.exec(text) ?? [];
  const url = URL.parse(address ?? '');
  if (name === undefined || url?.protocol !== 'http:' || url.port === '' || url.hostname !== '127.0.0.1') {
    throw new Error(`--peer: expected NAME=http://KEY:SECRET@127.0.0.1:PORT, got ${text}`);
  }
  return {
    name,
    port: Number(url.port),
    region: url.hash.slice(1) || 'us-east-1',
    accessKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
  };
}

function oneOf<Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((known) => known === text);
  if (choice === undefined) throw new Error(`${name}: expected ${choices.join(' or ')}, got ${text}`);
  return choice;
}

export function between(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!(value >= least && value <= most)) {
    throw new Error(`${name}: expected a number from ${least} to ${most}, got ${text}`);
  }
  return value;
}
