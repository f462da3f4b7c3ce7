import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { authenticate } from '../../../../src/auth/authenticate.ts';
import { SignatureDiagnoser } from '../../../../src/admin/diagnosis/diagnoser.ts';
import type { SignatureDiagnosis } from '../../../../src/admin/diagnosis/diagnosis.ts';
import { signableRequest } from '../../../../src/auth/raw-request.ts';
import { SigningKeys } from '../../../../src/auth/signing-key.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';

export const SECRETS: Readonly<Record<string, string>> = {
  AKIAIOSFODNN7EXAMPLE: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  OTHEROTHEROTHEROT0002: 'another secret',
};

/** Temporary ones: they are nobody's without their token. */
export const SESSION = {
  accessKeyId: 'ASIAAAAABBBBCCCCDDDD',
  secretAccessKey: 'the secret of a session',
  sessionToken: 'the-token-of-a-session',
} as const;

export interface JudgingServer {
  readonly port: number;
  /** Code of the last refusal, and what was found out about it; undefined: the last request was let in. */
  readonly last: { readonly code: string; readonly diagnosis: SignatureDiagnosis } | undefined;
  close(): Promise<void>;
}

/** An HTTP server that does nothing but authenticate, and explain what it refuses. */
export async function startJudgingServer(): Promise<JudgingServer> {
  const credentialFor = (id: string): { secretAccessKey: string } | undefined =>
    SECRETS[id] === undefined ? undefined : { secretAccessKey: SECRETS[id] };
  const sessionFor = (id: string, token: string): { secretAccessKey: string } => {
    if (id !== SESSION.accessKeyId || token !== SESSION.sessionToken) throw new S3Error('InvalidToken');
    return SESSION;
  };
  const auth = { credentialFor, sessionFor, region: 'us-east-1', signingKeys: new SigningKeys() };
  const diagnoser = new SignatureDiagnoser(
    {
      region: 'us-east-1',
      maxSkewMs: 900_000,
      baseHosts: ['localhost', 's3.example.com'],
      ports: [9000],
      credentialFor,
      sessionFor,
      credentials: () =>
        Object.entries(SECRETS).map(([accessKeyId, secretAccessKey]) => ({ accessKeyId, secretAccessKey })),
    },
    { perSecond: Infinity, cpuMsPerSecond: Infinity },
  );
  let last: JudgingServer['last'];
  const server = createServer((request, response) => {
    request.resume();
    const raw = {
      method: request.method ?? '',
      rawTarget: request.url ?? '',
      rawHeaders: request.rawHeaders,
      now: Date.now(),
    };
    try {
      authenticate(signableRequest(raw), auth);
      last = undefined;
      response.writeHead(200, { 'content-length': 0 }).end();
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      last = { code: error.code, diagnosis: diagnoser.diagnose(raw, error) };
      response.writeHead(error.status, { 'content-length': 0 }).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get last() {
      return last;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
