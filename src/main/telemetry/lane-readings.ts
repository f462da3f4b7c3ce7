import type { Readings } from '../../observe/metrics/process-metrics.ts';
import type { ConnectionLane, SurveyedStore } from '../../store/survey.ts';

interface Surveyed {
  readonly name: string;
  readonly surveyed?: Pick<SurveyedStore, 'lanes'> | undefined;
}

/** Who uses the connections to the backends, as metrics. */
export function laneReadings(backends: readonly Surveyed[]): Readings {
  const read = (of: (lane: ConnectionLane) => number) => () =>
    backends.flatMap(({ name, surveyed }) =>
      (surveyed?.lanes?.() ?? []).map((lane) => [of(lane), { backend: name, lane: lane.lane }] as const),
    );
  return {
    s3gw_backend_connections: read(({ inUse }) => inUse),
    s3gw_backend_connections_awaited: read(({ waiting }) => waiting),
    s3gw_backend_connections_of_one: read(({ most }) => most),
  };
}
