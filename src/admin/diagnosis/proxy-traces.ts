import type { SignableRequest } from '../../auth/raw-request.ts';

const TRACES = [
  'via',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
  'x-original-host',
  'x-envoy-external-address',
  'x-amzn-trace-id',
  'x-amz-cf-id',
  'cf-ray',
  'x-cloud-trace-context',
  'x-azure-ref',
];

/** Headers that only something between client and server adds. */
export function proxyTraces({ headers }: SignableRequest): string[] {
  return TRACES.filter((name) => headers.get(name) !== undefined);
}
