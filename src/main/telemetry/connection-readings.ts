import type { ConnectionLimit } from '../../gateway/connection-limit.ts';
import type { Readings } from '../../observe/metrics/process-metrics.ts';

/** What connections of clients hold, as metrics. */
export function connectionReadings(connections: ConnectionLimit): Readings {
  const { memory } = connections;
  return {
    s3gw_connections: () => [[connections.open]],
    s3gw_connection_memory_bytes: () => [[memory.usedBytes]],
    s3gw_connection_memory_limit_bytes: () => [[memory.maxBytes]],
    s3gw_connection_memory_refusals: () => [[memory.dropped]],
  };
}
