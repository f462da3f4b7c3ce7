import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountDirectory } from '../../../../src/access/accounts.ts';
import type { IdentityProvider } from '../../../../src/access/identities/identities.ts';
import { WebIdentities } from '../../../../src/access/web-identity/web-identities.ts';

/** What happens while the issuer is asked for its keys. */
const issuer = { url: '', happens: (): void => undefined, asked: 0 };
let server: Server;
let token: string;
const NOW = Date.UTC(2030, 0, 1);

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] });
  server = createServer((request, response) => {
    issuer.asked += 1;
    issuer.happens();
    const document = JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` });
    response.writeHead(200).end(request.url === '/keys' ? keys : document);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  token = await new SignJWT({ sub: 'pod', aud: 'mine' })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setIssuer(issuer.url)
    .setIssuedAt(NOW / 1000 - 60)
    .setExpirationTime(NOW / 1000 + 60)
    .sign(privateKey);
});
afterAll(() => server.close());

const ARN = (): string => `arn:aws:iam::111122223333:oidc-provider/${issuer.url.slice(7)}`;
const provider = (audiences = ['mine']): IdentityProvider => ({ issuer: issuer.url, arn: ARN(), audiences });

/** Accounts of the moment. */
async function verified(first: IdentityProvider, next: () => IdentityProvider | undefined): Promise<string> {
  let current: IdentityProvider | undefined = first;
  issuer.happens = () => (current = next());
  const accounts = { provider: (arn: string) => (arn === current?.arn ? current : undefined) };
  const options = { accountNumber: '111122223333', accounts: accounts as unknown as AccountDirectory, now: NOW };
  const verdict = await new WebIdentities().verify(token, options).then(
    ({ subject }) => subject,
    (error: unknown) => (error as { code: string }).code,
  );
  issuer.happens = () => undefined;
  return verdict;
}

describe('an identity provider that is changed while its keys are asked for', () => {
  it('vouches for nobody any more when it is gone, or takes other audiences', async () => {
    expect(await verified(provider(), () => undefined)).toBe('InvalidIdentityToken');
    expect(await verified(provider(), () => provider(['other']))).toBe('InvalidIdentityToken');
  });

  it('vouches as before when the accounts were read anew and say the same', async () => {
    const same = provider();
    expect(await verified(provider(), () => same)).toBe('pod');
  });

  it('is not asked without end when the accounts do not come to rest', async () => {
    issuer.asked = 0;
    expect(await verified(provider(), () => provider())).toBe('IDPCommunicationError');
    expect(issuer.asked).toBeLessThan(10);
  });
});
