import type { SettleBacklog } from '../../manifest/index.ts';
import type { Readings } from '../../observe/metrics/process-metrics.ts';

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
