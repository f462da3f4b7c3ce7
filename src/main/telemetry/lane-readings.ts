import type { ConnectionsInUse } from '../../admin/inspector/contract.ts';
import type { Readings } from '../../observe/metrics/process-metrics.ts';
import type { ConnectionLane, SurveyedStore } from '../../store/survey.ts';

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
