import { describe, expect, it } from 'vitest';
import { canonicalLines } from '../../../../src/admin/page/web/canonical-lines.ts';

describe('lines of a canonical request', () => {
  it('each says what it stands for, and which headers proxies often change', () => {
    const lines = canonicalLines(
      'PUT\n/b/k\nacl=\naccept-encoding:identity\nhost:h:9000\n\naccept-encoding;host\nUNSIGNED-PAYLOAD',
      ['accept-encoding'],
    );
    expect(lines.map(({ what, altered }) => `${what}${altered ? '!' : ''}`)).toEqual([
      'Method',
      'Path',
      'Query',
      'Header!',
      'Header',
      'End of headers',
      'Signed headers',
      'Payload hash',
    ]);
  });
});
