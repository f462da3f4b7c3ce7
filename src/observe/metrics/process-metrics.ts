import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Meter } from '@opentelemetry/api';
import { INSTRUMENTS, type InstrumentDeclaration, type InstrumentName } from './instruments.ts';
import type { RequestFacts } from '../request-facts.ts';

/** A value with its labels. */
type Reading = readonly [value: number, labels?: Readonly<Record<string, string>>];
/** What is looked at when metrics are asked for, by instrument. */
export type Readings = Readonly<Partial<Record<InstrumentName, () => readonly Reading[]>>>;

/** Values that need no counting: they are there to be read. */
export function observe(meter: Meter, readings: Readings): void {
  for (const [name, read] of Object.entries(readings)) {
    const { kind, help, unit } = declarationOf(name);
    const options = { description: help, ...(unit && { unit }) };
    const instrument =
      kind === 'gauge' ? meter.createObservableGauge(name, options) : meter.createObservableCounter(name, options);
    instrument.addCallback((result) => {
      for (const [value, labels] of read()) result.observe(value, labels);
    });
  }
}

function declarationOf(name: string): InstrumentDeclaration {
  const found = Object.entries<InstrumentDeclaration>(INSTRUMENTS).find(([known]) => known === name);
  if (found === undefined) throw new Error(`no instrument ${name}`);
  return found[1];
}

/** Step of the clock that is watched for lateness, milliseconds; it is no part of the delay that is told. */
const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;
const PERCENTILES = [50, 90, 99] as const;

/** Of this process. @returns readings, and what ends the watch of the event loop */
export function processReadings(): { readonly readings: Readings; close(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let busy = performance.eventLoopUtilization();
  return {
    close: () => void delay.disable(),
    readings: {
      s3gw_event_loop_delay_seconds: () => {
        const late = (nanoseconds: number): number =>
          Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000) || 0;
        const readings = [
          ...PERCENTILES.map(
            (percentile): Reading => [late(delay.percentile(percentile)), { percentile: String(percentile) }],
          ),
          [late(delay.max), { percentile: '100' }] as const,
        ];
        delay.reset();
        return readings;
      },
      s3gw_event_loop_utilization_ratio: () => {
        const before = busy;
        busy = performance.eventLoopUtilization();
        return [[performance.eventLoopUtilization(busy, before).utilization]];
      },
      process_cpu_seconds: () => {
        const { user, system } = process.cpuUsage();
        return [[(user + system) / 1e6]];
      },
      process_resident_memory_bytes: () => [[process.memoryUsage.rss()]],
      process_start_time_seconds: () => [[performance.timeOrigin / 1000]],
      nodejs_heap_used_bytes: () => [[process.memoryUsage().heapUsed]],
      nodejs_external_memory_bytes: () => [[process.memoryUsage().external]],
    },
  };
}

/**
 * How much the bodies of requests under way come to, as announced: what clients send, and what they are sent. Bodies
 * without an announced size count for nothing.
 */
export function bytesInFlight(running: Iterable<RequestFacts>): number {
  let bytes = 0;
  for (const facts of running) bytes += announced(facts);
  return bytes;
}

function announced({ body, answerBytes = 0, head }: RequestFacts): number {
  const answer = head.method === 'HEAD' ? 0 : answerBytes;
  return (body?.declaredSize ?? body?.contentLength ?? 0) + answer;
}
