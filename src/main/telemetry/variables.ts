import type { Environment } from '../../../config/load.ts';
import { StartError } from '../start-error.ts';

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/**
 * Whether spans are to be exported: an endpoint is named and nothing is switched off.
 * @throws StartError for an exporter that there is none of
 */
export function wantsTraces(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  const exporter = environment['OTEL_TRACES_EXPORTER'] ?? '';
  if (exporter === 'none') return false;
  if (exporter !== '' && exporter !== 'otlp') throw unknown('OTEL_TRACES_EXPORTER', exporter, ['otlp', 'none']);
  return ENDPOINTS.some((name) => (environment[name] ?? '') !== '');
}

/** The first of these variables that is set, and its value; else the first name with the fallback. */
export function firstSet(
  environment: Environment,
  names: readonly string[],
  fallback: string,
): readonly [name: string, value: string] {
  const name = names.find((wanted) => (environment[wanted] ?? '') !== '');
  return [name ?? names[0] ?? '', (name === undefined ? undefined : environment[name]) ?? fallback];
}

export function unknown(name: string, value: string, known: readonly string[]): StartError {
  return new StartError([`${name}: expected one of ${known.join(', ')}, got ${value}`]);
}
