import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { altersHeader } from '../../../support/backends/altering-proxy.ts';
import { SESSION } from './judging-server.ts';
import {
  ACCESS_KEY,
  SECRET,
  server,
  openScene,
  sendBySdk,
  sendPresigned,
  expectCause,
  expectFault,
  put,
  get,
} from './causes-scene.ts';

openScene();

describe('wrong region', () => {
  test('by header', () => expectFault(() => sendBySdk(get(), { region: 'eu-central-1' }), 'wrong-region'));
  test('presigned', () =>
    expectFault(() => sendPresigned(get(), { config: { region: 'eu-central-1' } }), 'wrong-region'));
});

describe('wrong secret', () => {
  const secret = (secretAccessKey: string, accessKeyId = ACCESS_KEY): S3ClientConfig => ({
    credentials: { accessKeyId, secretAccessKey },
  });
  test('by header', () => expectFault(() => sendBySdk(get(), secret('guessed')), 'wrong-secret', 'likely'));
  test('by header, with a body', () =>
    expectFault(() => sendBySdk(put(), secret('guessed')), 'wrong-secret', 'likely'));
  test('presigned', () =>
    expectFault(() => sendPresigned(get(), { config: secret('guessed') }), 'wrong-secret', 'likely'));
  test.each([`${SECRET}\n`, `${SECRET} `, `"${SECRET}"`, encodeURIComponent(SECRET), 'another secret'])(
    '%j',
    async (wrong) => {
      await expectFault(() => sendBySdk(get(), secret(wrong)), 'wrong-secret');
      await expectFault(() => sendPresigned(get(), { config: secret(wrong) }), 'wrong-secret');
    },
  );
  test('of a key that is not there', () =>
    expectFault(() => sendBySdk(get(), secret(SECRET, 'AKIAGONEGONEGONE0000')), 'unknown-access-key'));
  test('nor its secret', () =>
    expectFault(() => sendBySdk(get(), secret('guessed', ACCESS_KEY.toLowerCase())), 'unknown-access-key', 'likely'));
});

describe('shifted clock', () => {
  const HOURS = 3_600_000;
  test('ahead, by header', () =>
    expectFault(() => sendBySdk(get(), { systemClockOffset: 2 * HOURS }), 'shifted-clock'));
  test('behind, by header', () =>
    expectFault(() => sendBySdk(get(), { systemClockOffset: -HOURS / 3 }), 'shifted-clock'));
  test('ahead, presigned', () =>
    expectFault(() => sendPresigned(get(), { at: new Date(Date.now() + HOURS) }), 'shifted-clock'));
  test('behind, presigned: as if it had expired', async () => {
    await expectFault(() => sendPresigned(get(), { at: new Date(Date.now() - HOURS) }), 'expired-url');
    expect(server.last?.diagnosis.hints.map(({ cause }) => cause)).toContain('shifted-clock');
  });
  test('and a wrong secret', async () => {
    await expectFault(
      () =>
        sendBySdk(get(), {
          systemClockOffset: HOURS,
          credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: `${SECRET}\n` },
        }),
      'shifted-clock',
      'likely',
    );
    expect(server.last?.diagnosis.hints.map(({ cause }) => cause)).toContain('wrong-secret');
  });
});

describe('other faults', () => {
  test('a method that was changed', () =>
    expectCause(
      () => sendPresigned(get()),
      (head) => head.replace(/^GET/, 'HEAD'),
      'changed-method',
    ));
  test('a header cut short', () =>
    expectCause(
      () => sendBySdk(get()),
      altersHeader('authorization', (value) => value.replace(/, ?Signature=.*/, '')),
      'malformed',
      'likely',
    ));
  test('another scheme', () =>
    expectCause(() => sendBySdk(get()), altersHeader('authorization', 'Basic dTpw'), 'signature-version', 'likely'));
  test('a session token', () =>
    expectFault(
      () =>
        sendBySdk(get(), {
          credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET, sessionToken: 'secret-token' },
        }),
      'session-token',
      'likely',
    ));
});

describe('temporary credentials', () => {
  const credentials = (changes: Partial<typeof SESSION> = {}) => ({ credentials: { ...SESSION, ...changes } });
  const told = () => JSON.stringify(server.last?.diagnosis);

  test.each(['header', 'presigned'])('a secret with a line break, %s, as of a lasting key', async (how) => {
    const changes = credentials({ secretAccessKey: `${SESSION.secretAccessKey}\n` as typeof SESSION.secretAccessKey });
    await expectFault(
      () => (how === 'header' ? sendBySdk(get(), changes) : sendPresigned(get(), { config: changes })),
      'wrong-secret',
    );
    expect(told()).not.toContain(SESSION.sessionToken);
  });
  test('a method that was changed', async () => {
    await expectCause(
      () => sendPresigned(get(), { config: credentials() }),
      (head) => head.replace(/^GET/, 'HEAD'),
      'changed-method',
    );
    expect(told()).not.toContain(SESSION.sessionToken);
  });
  test('another token', () =>
    expectFault(
      () => sendBySdk(get(), credentials({ sessionToken: 'x' as typeof SESSION.sessionToken })),
      'session-token',
      'likely',
    ));
  test('no token', () =>
    expectFault(
      () => sendBySdk(get(), { credentials: { accessKeyId: SESSION.accessKeyId, secretAccessKey: 'x' } }),
      'session-token',
      'likely',
    ));
});
