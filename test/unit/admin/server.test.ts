import { expect, test, vi } from 'vitest';
import { refuse, startAdminServer } from '../../../src/admin/server.ts';

test('what fails in a part with an answer of its own to errors is logged too, with its status', async () => {
  const error = vi.fn();
  const reason = new Error('inside');
  const server = await startAdminServer({
    host: '127.0.0.1',
    port: 0,
    log: { error },
    parts: [
      (app) =>
        void app.register(async (own) => {
          own.setErrorHandler((_error, _request, reply) => refuse(reply, 502, 'the backend'));
          own.get('/keys/:key', async () => Promise.reject(reason));
        }),
    ],
  });
  try {
    const answer = await fetch(`http://127.0.0.1:${server.address.port}/keys/chosen-by-a-stranger`);
    expect(answer.status).toBe(502);
    const requestId = answer.headers.get('x-request-id');
    await expect
      .poll(() => error.mock.calls)
      .toEqual([[{ requestId, method: 'GET', route: '/keys/:key', status: 502, err: reason }, expect.any(String)]]);
  } finally {
    await server.close();
  }
});
