import { describe, expect, test } from 'vitest';
import { outcome } from '../../support/clients/acl-client.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { presignedHead, signedHead } from '../../support/clients/sign-raw.ts';
import { sharedGateway } from '../../support/gateway/shared-gateway.ts';

/*
 * Proxies forward a Host with the scheme's default port, which the client named nowhere and signed without. It says
 * nothing; any other port is another host.
 */
const shared = sharedGateway();

describe.each([
  ['header', signedHead],
  ['presigned URL', presignedHead],
])('%s', (_name, sign) => {
  test.each([
    ['localhost', 'localhost:443', '200'],
    ['localhost', 'localhost:80', '200'],
    ['localhost:443', 'localhost:443', '200'],
    ['localhost', 'localhost:8443', '403 SignatureDoesNotMatch'],
    ['localhost:8443', 'localhost:443', '403 SignatureDoesNotMatch'],
    ['other', 'localhost:443', '403 SignatureDoesNotMatch'],
  ])('signed for %s, forwarded to %s: %s', async (signed, forwarded, expected) => {
    // The path has a second canonical form: what was signed is looked for in both.
    for (const target of ['/?list-type=2', '/default-port/(a)']) {
      const head = sign({ target, host: signed }).replace(`host: ${signed}\r\n`, `host: ${forwarded}\r\n`);
      const found = outcome(await roundTrip(shared.gateway.port, head, 'GET'));
      expect(found).toBe(expected === '200' && target.includes('(') ? '404 NoSuchBucket' : expected);
    }
  });
});
