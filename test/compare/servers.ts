import type { AzuriteProcess } from '../../adapters/doubles/index.ts';
import { S3Client, type S3Key } from '../../src/main/prove/s3-client.ts';
import { PEERS, type PeerPrograms, startPeer } from '../bench/servers/peer-servers.ts';
import { startTestbed } from '../support/gateway/testbed.ts';

const REGION = 'us-east-1';

/** A process of an S3 server that runs over the Azurite of its kind. */
export interface RunningServer {
  readonly endpoint: string;
  readonly key: S3Key;
  readonly client: S3Client;
  /** By SIGKILL, as a machine dies. */
  kill(): Promise<void>;
}

/** A kind of server, of which processes are started side by side and one after the other. */
export interface ServerKind {
  readonly name: string;
  start(): Promise<RunningServer>;
}

interface Ground {
  readonly azurite: AzuriteProcess;
  /** For files of the run. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** What starts each server that is measured; this gateway comes first. */
export function serverKinds(programs: PeerPrograms): readonly ((ground: Ground) => ServerKind)[] {
  const given = PEERS.flatMap((name) => {
    const program = programs[name];
    if (program !== undefined) return [(ground: Ground) => peerKind(name, program, ground)];
    process.stderr.write(`!!! ${name} is not measured: no --${name} !!!\n`);
    return [];
  });
  return [gatewayKind, ...given];
}

function gatewayKind({ azurite, signal }: Ground): ServerKind {
  return {
    name: 'this gateway',
    async start() {
      // By http, as the others reach it.
      const { origin } = new URL(azurite.endpoint);
      const { bed, stop } = await startTestbed('--backend-endpoint', origin, '--backend-tls', 'off');
      const [account] = bed.accounts;
      if (account === undefined) throw new Error('the test bed has no account');
      const key = { accessKeyId: account.accessKey, secretAccessKey: account.secretKey, region: bed.region };
      return running(bed.endpoints[0] ?? '', key, signal, async () => {
        for (const pid of bed.pids) process.kill(pid, 'SIGKILL');
        await stop();
      });
    },
  };
}

function peerKind(name: keyof PeerPrograms, program: string, { azurite, folder, signal }: Ground): ServerKind {
  const { origin } = new URL(azurite.endpoint);
  return {
    name,
    async start() {
      const peer = await startPeer(name, program, { origin, folder, isNull: false });
      const key = { accessKeyId: peer.accessKey, secretAccessKey: peer.secretKey, region: REGION };
      return running(peer.endpoint, key, signal, () => peer.stop());
    },
  };
}

function running(endpoint: string, key: S3Key, signal: AbortSignal, end: () => Promise<void>): RunningServer {
  const client = new S3Client(endpoint, key, signal);
  const kill = async (): Promise<void> => {
    client.close();
    await end();
  };
  return { endpoint, key, client, kill };
}
