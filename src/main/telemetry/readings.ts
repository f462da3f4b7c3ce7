import type { AccessLogs } from '../../access-logs/access-logs.ts';
import type { ConnectionsInUse } from '../../admin/inspector/contract.ts';
import type { Readings } from '../../observe/metrics/process-metrics.ts';
import type { ConnectionLane, SurveyedStore } from '../../store/survey.ts';
import type { SettleBacklog } from '../../manifest/index.ts';
import type { ConnectionLimit } from '../../gateway/connection-limit.ts';
import type { OpenBackend } from '../backends.ts';

/** A backend that may tell which clients use its connections. */
export interface SurveyedBackend {
  readonly name: string;
  readonly surveyed?: Pick<SurveyedStore, 'lanes'> | undefined;
}

/** Who uses the connections to the backends, as metrics. */
export function laneReadings(backends: readonly SurveyedBackend[]): Readings {
  const read = (of: (lane: ConnectionLane) => number) => () =>
    lanesOf(backends).map((lane) => [of(lane), { backend: lane.backend, lane: lane.lane }] as const);
  return {
    s3gw_backend_connections: read(({ inUse }) => inUse),
    s3gw_backend_connections_awaited: read(({ waiting }) => waiting),
    s3gw_backend_connections_of_one: read(({ holders }) => holders[0]?.inUse ?? 0),
  };
}

/** The same for the inspector: the lanes that anybody uses. */
export function connectionsInUse(backends: readonly SurveyedBackend[]): readonly ConnectionsInUse[] {
  return lanesOf(backends).filter(({ inUse, waiting }) => inUse + waiting > 0);
}

function lanesOf(backends: readonly SurveyedBackend[]): readonly (ConnectionLane & { readonly backend: string })[] {
  return backends.flatMap(({ name, surveyed }) =>
    (surveyed?.lanes?.() ?? []).map((lane) => ({ backend: name, ...lane })),
  );
}

/** How the work behind answers stands, as metrics. */
export function settleReadings(backlog: () => SettleBacklog): Readings {
  return {
    s3gw_settle_tasks: () => {
      const { queued, running } = backlog();
      return [
        [queued, { state: 'queued' }],
        [running, { state: 'running' }],
      ];
    },
    s3gw_left_to_sweeper: () => {
      const { dropped, failed } = backlog();
      return [
        [dropped, { reason: 'no_room' }],
        [failed, { reason: 'failed' }],
      ];
    },
  };
}

/** What becomes of server access logs, as metrics. */
export function accessLogReadings(logs: Pick<AccessLogs, 'counts' | 'waitingBytes' | 'failing'>): Readings {
  const { counts } = logs;
  return {
    s3gw_access_log_records: () => [
      [counts.delivered, { outcome: 'delivered' }],
      [counts.noRoom, { outcome: 'no_room' }],
      [counts.refused, { outcome: 'refused' }],
      [counts.failed, { outcome: 'failed' }],
    ],
    s3gw_access_log_waiting_bytes: () => [[logs.waitingBytes]],
    s3gw_access_log_objects_failing: () => [[logs.failing]],
  };
}

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

/** Who hashes parts, as metrics. */
export function partReadings(backends: readonly OpenBackend[]): Readings {
  return {
    s3gw_part_digests_said: () =>
      backends.map(({ name, store }) => [store.partDigests?.active === true ? 1 : 0, { backend: name }]),
  };
}

/** How copies inside backends are done, as metrics; of those that may be done in two ways. */
export function copyReadings(backends: readonly OpenBackend[]): Readings {
  const fallbacks = backends.flatMap(({ name, store: { copyFallback } }) =>
    copyFallback === undefined ? [] : [{ backend: name, copyFallback }],
  );
  return {
    s3gw_copies_streamed: () => fallbacks.map(({ backend, copyFallback }) => [copyFallback.streamed, { backend }]),
    s3gw_copy_sources_refused: () =>
      fallbacks.map(({ backend, copyFallback }) => [copyFallback.active ? 1 : 0, { backend }]),
  };
}
