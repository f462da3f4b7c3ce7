import { Readable } from 'node:stream';
import { at, type Revision } from '../../../src/store/blob-store.ts';
import { json, serve } from '../../unit/adapters/gcs/scripted-service.ts';
import type { Service } from '../../unit/adapters/gcs/scripted-service.ts';

export const REF = { container: 'bucket', name: 'key' };
export const REVISION = '1700000000000000.3' as Revision;
export const MATCH = at(REVISION);
const running: Service[] = [];

export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((service) => service.stop()));
}

export async function start(...args: Parameters<typeof serve>): Promise<Service> {
  const service = await serve(...args);
  running.push(service);
  return service;
}

/** Never ends by itself, and takes its time. */
export function endless(chunk: number): Readable {
  return new Readable({
    read() {
      setTimeout(() => this.push(Buffer.alloc(chunk)), 5);
    },
  });
}

export const resource = json({
  size: '5',
  generation: '1700000000000000',
  metageneration: '3',
  timeCreated: '2026-11-21T10:00:00Z',
  metadata: { old: '1' },
});
