import { BACKENDS, startCloud } from '../../support/backends/clouds.ts';
import { startGatewayOver, type TestGatewayOptions } from '../../support/gateway/gateway.ts';

export { BACKENDS };
export const MEMORY = 'memory';

export interface AttackedGateway {
  readonly port: number;
  /** Messages of errors that nobody foresaw. */
  failures(): readonly string[];
  close(): Promise<void>;
}

/** @param backend one of `BACKENDS` */
export async function startOver(backend: string, options: TestGatewayOptions = {}): Promise<AttackedGateway> {
  const cloud = await startCloud(backend);
  const gateway = await startGatewayOver(cloud.open(), options);
  return {
    port: gateway.port,
    failures: () => gateway.logged.filter(({ level }) => level === 'error').map(({ message }) => message),
    async close() {
      await gateway.close();
      await cloud.stop();
    },
  };
}

/** Does work for each, a few at a time, as clients do. */
export async function sideBySide<T>(items: readonly T[], work: (item: T, at: number) => Promise<void>): Promise<void> {
  const entries = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of entries) await work(item, at);
  };
  await Promise.all(Array.from({ length: 6 }, worker));
}
