import process from 'node:process';
import type { Config } from '../../../config/schema.ts';

/** Which of the workers of a replica this process is. A replacement takes the place of the one it replaces. */
export interface Place {
  /** From 1. The first worker has the admin port. */
  readonly slot: number;
  readonly count: number;
  /**
   * Of the listeners, in the order of the configuration, as the first worker got them. Empty: this is the first worker.
   */
  readonly ports: readonly number[];
}

/** By which a worker knows its place. Not a setting: those begin otherwise. */
const VARIABLE = 'GATEWAY_WORKER';

export function placeVariable(place: Place): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(place) };
}

/** Undefined: this process is no worker, and serves alone or watches over others. */
export function ownPlace(): Place | undefined {
  const text = process.env[VARIABLE];
  return text === undefined ? undefined : (JSON.parse(text) as Place);
}

/**
 * What a worker makes of the configuration of all: the ports of the first one, its share of what is limited for the
 * gateway as a whole, a name of its own, and, but for the first one, an admin port of its own that only this machine
 * sees. The kernel deals connections out by a hash, so that shares of their number are near what each worker gets.
 */
export function settingsOf(config: Config, place: Place | undefined): Config {
  if (place === undefined) return config;
  const { slot, count, ports } = place;
  const share = (whole: number): number => Math.ceil(whole / count);
  const { heldBudgetBytes, connections, connectionsPerAddress } = config.limits;
  const limits = {
    ...config.limits,
    heldBudgetBytes: share(heldBudgetBytes),
    connections: share(connections),
    connectionsPerAddress: share(connectionsPerAddress),
  };
  const { waitingBytes, waitingCalls } = config.tracing;
  const tracing = { ...config.tracing, waitingBytes: share(waitingBytes), waitingCalls: share(waitingCalls) };
  const listeners = config.listeners.map((listener, index) => ({ ...listener, port: ports[index] ?? listener.port }));
  const journal = { maxBytes: share(config.admin.journal.maxBytes) };
  const { replica } = config.admin;
  const named = { ...config.admin, journal, ...(replica !== undefined && { replica: `${replica}-${slot}` }) };
  const admin = slot === 1 ? named : { ...named, host: '127.0.0.1', port: 0 };
  return { ...config, limits, tracing, listeners, admin };
}
