import type { Config } from '../../config/schema.ts';
import type { Log } from '../observe/log.ts';
import { ClockGuard } from '../store/clock-guard.ts';
import type { OpenBackend } from './backends.ts';

interface WatchClockOptions {
  readonly config: Pick<Config, 'clockLimitMs'>;
  readonly backends: readonly OpenBackend[];
  readonly log: Log;
}

/** Compares the clock of this machine with those of the backends, which are read off answers that come anyway. */
export function watchClock({ config, backends, log }: WatchClockOptions): ClockGuard {
  const guard = new ClockGuard({
    limitMs: config.clockLimitMs,
    onTurn: (backend, wrong, skewMs) => {
      const skewSeconds = Math.round(skewMs / 1000);
      if (wrong) {
        log.error({ backend, skewSeconds }, 'the clock of this machine and that of the backend are too far apart');
      } else {
        log.info({ backend, skewSeconds }, 'the clock of this machine agrees with that of the backend again');
      }
    },
  });
  if (config.clockLimitMs > 0) {
    for (const { name, surveyed } of backends) surveyed?.clock?.onReading((skewMs) => guard.read(name, skewMs));
  }
  return guard;
}
