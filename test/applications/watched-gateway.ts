import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { type RunningTestbed, startTestbedWith } from '../support/gateway/testbed.ts';
import type { Cloud } from './results.ts';

const POLL_MS = 50;
const LOG_MS = 30_000;

/** What a program gets to know: where the gateway is, its keys, and a bucket of its own that is empty. */
export interface Place extends Record<string, string> {
  readonly ENDPOINT: string;
  readonly BUCKET: string;
  readonly ACCESS_KEY: string;
  readonly SECRET_KEY: string;
}

/** A gateway over one cloud, and the log of what it answers. */
export class WatchedGateway {
  readonly #bed: RunningTestbed;
  readonly #log: string;
  #told = 0;

  private constructor(bed: RunningTestbed, log: string) {
    this.#bed = bed;
    this.#log = log;
  }

  /** @param folder where its log goes */
  static async start(cloud: Cloud, folder: string): Promise<WatchedGateway> {
    const log = join(folder, 'access.log');
    writeFileSync(log, '');
    const variables = { S3GW_ACCESS_LOG__FORMAT: 'json', S3GW_ACCESS_LOG__FILE: log, S3GW_LOG_LEVEL: 'error' };
    return new WatchedGateway(await startTestbedWith(variables, '--backend', cloud), log);
  }

  stop(): Promise<void> {
    return this.#bed.stop();
  }

  get #endpoint(): string {
    return this.#bed.bed.endpoints[0] ?? '';
  }

  /** Makes a bucket. @param name its beginning */
  async makePlace(name: string): Promise<Place> {
    const { accounts, region } = this.#bed.bed;
    const [account] = accounts;
    const credentials = { accessKeyId: account?.accessKey ?? '', secretAccessKey: account?.secretKey ?? '' };
    const bucket = `${name}-${randomBytes(4).toString('hex')}`;
    const client = new S3Client({ endpoint: this.#endpoint, region, forcePathStyle: true, credentials });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    const { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY } = credentials;
    await this.statuses();
    return { ENDPOINT: this.#endpoint, BUCKET: bucket, ACCESS_KEY, SECRET_KEY };
  }

  /** Of the answers since the last call, in their order. A request that ends them shows when the log has them all. */
  async statuses(): Promise<number[]> {
    const end = `/end-${randomBytes(8).toString('hex')}`;
    await (await fetch(`${this.#endpoint}${end}`)).arrayBuffer();
    const signal = AbortSignal.timeout(LOG_MS);
    while (true) {
      const lines = readFileSync(this.#log, 'utf8').split('\n').slice(this.#told, -1);
      const at = lines.findIndex((line) => line.includes(end));
      if (at >= 0) {
        this.#told += at + 1;
        return lines.slice(0, at).map((line) => (JSON.parse(line) as { status: number }).status);
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }
}
