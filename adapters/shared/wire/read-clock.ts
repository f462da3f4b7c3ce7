import type { Call } from '../../../src/observe/call.ts';
import { StoreError } from '../../../src/store/store-error.ts';
import type { ClockReading } from '../../../src/store/survey.ts';
import { headerText } from './header-text.ts';
import type { Transport } from './transport.ts';
import { wireFailureError } from './wire-failure.ts';

const WITHIN_MS = 10_000;

/** The `Date` of whatever answer the service gives to a request without a credential. @throws StoreError */
export async function readClock(transport: Transport, path: string, call: Call): Promise<ClockReading> {
  const request = { call: 'readClock', method: 'GET', effect: 'read' } as const;
  const sent = Date.now();
  const { headers, body, status } = await transport
    .send({ method: 'GET', path, headers: [], responseTimeout: WITHIN_MS }, call.signal)
    .catch((error: unknown) => {
      throw wireFailureError(request, error);
    });
  const received = Date.now();
  body.discard();
  const service = Date.parse(headerText(headers, 'date') ?? '');
  if (Number.isNaN(service)) {
    throw new StoreError('unexpected', { call: request.call, status, code: 'answer without a Date' });
  }
  return { sent, received, service };
}
