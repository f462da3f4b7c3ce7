import type { Resource } from '@opentelemetry/resources';
import type { BackendCalls } from '../../observe/call-watch.ts';
import { observe, processReadings, type Readings } from '../../observe/metrics/process-metrics.ts';
import { RequestMetrics } from '../../observe/metrics/request-metrics.ts';
import type { RequestObservers } from '../../observe/request-observers.ts';
import { startMetrics } from './metrics.ts';

/** What a process counts and measures, for Prometheus. */
export interface Measuring {
  /** All metrics in the text format of Prometheus, with all requests and calls that have ended. */
  render(): Promise<string>;
  /** Values that other parts of the process have. */
  observe(readings: Readings): void;
  close(): Promise<void>;
}

/** Only where somebody can fetch it. */
export function startMeasuring(
  resource: Resource,
  { observers, calls }: { readonly observers: RequestObservers; readonly calls: BackendCalls },
): Measuring {
  const requests = new RequestMetrics();
  const metrics = startMetrics(resource, [requests]);
  const ofProcess = processReadings();
  observers.add(requests);
  calls.onCall((call) => requests.backendCall(call));
  calls.onDenial((denial) => requests.denied(denial));
  observe(metrics.meter, {
    ...ofProcess.readings,
    s3gw_call_facts_without_room: () => [[calls.room.withoutRoom]],
  });
  return {
    render() {
      observers.flush();
      calls.flush();
      return metrics.render();
    },
    observe: (readings) => observe(metrics.meter, readings),
    close() {
      ofProcess.close();
      return metrics.close();
    },
  };
}
