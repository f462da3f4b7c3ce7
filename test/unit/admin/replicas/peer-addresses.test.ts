import { describe, expect, it, vi } from 'vitest';
import { peerAddresses } from '../../../../src/admin/replicas/peer-addresses.ts';

describe('addresses of peers', () => {
  it('are those of the list and those a name stands for, each once', async () => {
    const addresses = peerAddresses(
      {
        urls: ['http://10.0.0.1:9001/', 'https://other.example'],
        dns: { host: 'gateways', port: 9001 },
        refreshMs: 1000,
      },
      async (host) => (host === 'gateways' ? [{ address: '10.0.0.1' }, { address: 'fd00::2' }] : []),
    );
    expect(await addresses.current()).toEqual([
      'http://10.0.0.1:9001',
      'https://other.example',
      'http://[fd00::2]:9001',
    ]);
  });

  it('are asked for anew when what was said is old, once for all who wait', async () => {
    let asked = 0;
    const settings = { urls: [], dns: { host: 'gateways', port: 1 } };
    const resolve = async (): Promise<{ address: string }[]> => [{ address: `10.0.0.${++asked}` }];
    const old = peerAddresses({ ...settings, refreshMs: 0 }, resolve);
    expect([await old.current(), await old.current()]).toEqual([['http://10.0.0.1:1'], ['http://10.0.0.2:1']]);
    const fresh = peerAddresses({ ...settings, refreshMs: 60_000 }, resolve);
    expect(await Promise.all([fresh.current(), fresh.current()])).toEqual([
      ['http://10.0.0.3:1'],
      ['http://10.0.0.3:1'],
    ]);
  });

  it('are asked for anew as soon when the clock of the machine is set back', async () => {
    let asked = 0;
    const addresses = peerAddresses({ urls: [], dns: { host: 'gateways', port: 1 }, refreshMs: 1 }, async () => [
      { address: `10.0.0.${++asked}` },
    ]);
    await addresses.current();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    try {
      await expect.poll(() => addresses.current()).toEqual(['http://10.0.0.2:1']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('stay what they were while the name service has trouble', async () => {
    let isDown = false;
    const addresses = peerAddresses({ urls: [], dns: { host: 'gateways', port: 1 }, refreshMs: 0 }, async () => {
      if (isDown) throw new Error('EAI_AGAIN');
      return [{ address: '10.0.0.1' }];
    });
    await addresses.current();
    isDown = true;
    expect(await addresses.current()).toEqual(['http://10.0.0.1:1']);
  });

  it('come from the name service of the machine', async () => {
    const addresses = peerAddresses({ urls: [], dns: { host: 'localhost', port: 9001 }, refreshMs: 0 });
    const found = await addresses.current();
    expect(found.some((url) => url === 'http://127.0.0.1:9001' || url === 'http://[::1]:9001')).toBe(true);
  });
});
