import { availableParallelism } from 'node:os';
import { type BenchBackend, startGateway } from '../servers/backend.ts';
import { type PeerPrograms, type PeerServer, startPeers } from '../servers/peer-servers.ts';

/** An S3 server under test. */
export type Server = PeerServer;

/** The gateway, and those of the others that were named. @param folder for files of the run */
export async function startServers(backend: BenchBackend, programs: PeerPrograms, folder: string): Promise<Server[]> {
  const first = await gateway(backend);
  try {
    const peers = await startPeers(programs, { origin: backend.origin, folder, isNull: true });
    return [first, ...peers];
  } catch (error) {
    await first.stop();
    throw error;
  }
}

async function gateway(backend: BenchBackend): Promise<Server> {
  const testbed = await startGateway(backend, { workers: availableParallelism() });
  const { endpoints, accounts, pids } = testbed.bed;
  const { accessKey = '', secretKey = '' } = accounts[0] ?? {};
  return { name: 'gateway', endpoint: endpoints[0] ?? '', accessKey, secretKey, pids, stop: () => testbed.stop() };
}
