import { describe, expect, it } from 'vitest';
import { SignatureDiagnoser } from '../../../../src/admin/diagnosis/diagnoser.ts';
import type { DiagnosisSources } from '../../../../src/admin/diagnosis/diagnosis.ts';
import { S3Error } from '../../../../src/errors/s3-error.ts';
import type { AuthFacts, RequestHead } from '../../../../src/observe/request-facts.ts';
import { signedHead, type RawRequestOptions } from '../../../support/clients/sign-raw.ts';
import { ACCESS_KEY, SECRET_KEY } from '../../auth/signed-requests.ts';

const SOURCES: DiagnosisSources = {
  region: 'us-east-1',
  maxSkewMs: 900_000,
  baseHosts: ['localhost'],
  ports: [],
  credentialFor: (id) => (id === ACCESS_KEY ? { secretAccessKey: SECRET_KEY } : undefined),
  credentials: () => [{ accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY }],
};
const MISMATCH = new S3Error('SignatureDoesNotMatch');

/** Head of a signed request as a listener hands it over. */
function headOf(options: Partial<RawRequestOptions>, received = 'localhost'): RequestHead {
  const text = signedHead({ target: '/bucket/key', accessKey: ACCESS_KEY, secretKey: SECRET_KEY, ...options });
  const [requestLine = '', ...lines] = text.trimEnd().split('\r\n');
  const [method = '', target = ''] = requestLine.split(' ');
  const rawHeaders = lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
  rawHeaders[1] = received;
  const trace = { traceId: '', spanId: undefined, parentSpanId: undefined, sampled: false, traceState: undefined };
  return { requestId: 'r', hostId: 'h', trace, arrivedAt: Date.now(), method, target, rawHeaders, httpVersion: '1.1' };
}

function refused(
  head: RequestHead,
  failure: Error | undefined,
): { head: RequestHead; auth: AuthFacts; failure: Error | undefined } {
  return { head, auth: { method: undefined, identity: undefined, failure, signature: undefined }, failure };
}

function accepted(head: RequestHead): { head: RequestHead; auth: AuthFacts; failure: undefined } {
  const identity = { kind: 'account', account: { name: 'a', canonicalId: 'c' }, accessKeyId: ACCESS_KEY } as const;
  return { head, auth: { method: 'header', identity, failure: undefined, signature: undefined }, failure: undefined };
}

describe('SignatureDiagnoser', () => {
  it('says nothing of requests that were let in, or refused for something else', () => {
    const diagnoser = new SignatureDiagnoser(SOURCES);
    expect(diagnoser.explain(accepted(headOf({})))).toBeUndefined();
    expect(diagnoser.explain({ ...accepted(headOf({})), failure: new S3Error('NoSuchKey') })).toBeUndefined();
  });

  it('shows what was computed, without credentials', () => {
    const token = 'AnotherServicesTokenAnotherServicesToken';
    const head = headOf(
      { target: `/bucket/key?X-Amz-Security-Token=${token}`, headers: { 'x-amz-security-token': token } },
      'elsewhere',
    );
    const diagnosis = new SignatureDiagnoser(SOURCES).explain(refused(head, MISMATCH));
    expect(diagnosis?.canonicalRequest).toMatch(
      /^GET\n\/bucket\/key\nX-Amz-Security-Token=<40 chars, sha256 [0-9a-f]{8}>\nhost:elsewhere\n/,
    );
    expect(diagnosis?.stringToSign).toMatch(
      /^AWS4-HMAC-SHA256\n\d{8}T\d{6}Z\n\d{8}\/us-east-1\/s3\/aws4_request\n[0-9a-f]{64}$/,
    );
    expect(JSON.stringify(diagnosis)).not.toContain(token);
    expect(JSON.stringify(diagnosis)).not.toMatch(/signature=[0-9a-f]/i);
  });

  it('never shows a secret, whatever the cause', () => {
    for (const secretKey of [`${SECRET_KEY}\n`, 'guessed-by-somebody', SECRET_KEY]) {
      const shown = JSON.stringify(new SignatureDiagnoser(SOURCES).explain(refused(headOf({ secretKey }), MISMATCH)));
      expect(shown).not.toContain(SECRET_KEY);
      expect(shown).not.toContain('guessed-by-somebody');
    }
  });

  it('knows hosts under which others were let in', () => {
    const diagnoser = new SignatureDiagnoser(SOURCES);
    const altered = refused(headOf({ host: 'data.example.net:8443' }, 'pod-7'), MISMATCH);
    expect(diagnoser.explain(altered)?.hints[0]).not.toMatchObject({ certainty: 'proved' });
    diagnoser.ended(accepted(headOf({ host: 'data.example.net:8443' }, 'data.example.net:8443')));
    expect(diagnoser.explain(altered)?.hints).toMatchObject([{ cause: 'changed-host', certainty: 'proved' }]);
  });

  it('a signature that was taken away', () => {
    const { rawHeaders, ...head } = headOf({});
    const at = rawHeaders.indexOf('authorization');
    const anonymous: AuthFacts = {
      method: 'anonymous',
      identity: { kind: 'anonymous' },
      failure: undefined,
      signature: undefined,
    };
    const failure = new S3Error('AccessDenied');
    const diagnoser = new SignatureDiagnoser(SOURCES);
    const stripped = { ...head, rawHeaders: rawHeaders.toSpliced(at, 2) };
    const hints = [
      {
        cause: 'altered-header',
        certainty: 'likely',
        text: expect.stringContaining('x-amz-date and x-amz-content-sha256') as string,
      },
    ];
    expect(diagnoser.explain({ head: stripped, auth: anonymous, failure })).toEqual({ commonlyAltered: [], hints });
    expect(diagnoser.explain(refused(stripped, failure))).toMatchObject({ hints });
    expect(
      diagnoser.explain({ head: { ...head, rawHeaders: ['host', 'localhost'] }, auth: anonymous, failure }),
    ).toBeUndefined();
  });

  it('a chunk that does not fit: the request itself was right', () => {
    const head = headOf({ method: 'PUT', payloadHash: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' });
    const diagnosis = new SignatureDiagnoser(SOURCES).explain({ ...accepted(head), failure: MISMATCH });
    expect(diagnosis?.hints).toMatchObject([{ cause: 'changed-body', certainty: 'proved' }]);
    expect(diagnosis?.hints[0]?.text).toContain('chunk');
  });

  it('explains so many within a second, and shows the rest without hints', () => {
    const diagnoser = new SignatureDiagnoser(SOURCES, { perSecond: 3 });
    const hints = Array.from({ length: 8 }, () =>
      diagnoser.explain(refused(headOf({ secretKey: 'guessed' }), MISMATCH)),
    );
    expect(hints.filter((one) => one?.hints.length !== 0).length).toBeLessThanOrEqual(6);
    expect(hints.at(-1)).toMatchObject({ hints: [], canonicalRequest: expect.any(String) as string });
  });

  it('spends so much of a core within a second, and no more', () => {
    const diagnoser = new SignatureDiagnoser(SOURCES, { cpuMsPerSecond: 5, perSecond: Infinity });
    const hints = Array.from(
      { length: 100 },
      () => diagnoser.explain(refused(headOf({ secretKey: 'guessed' }), MISMATCH))?.hints.length !== 0,
    );
    expect(hints).toContain(true);
    expect(hints).toContain(false);
  });

  it('bears a request built to be costly', () => {
    const names = Array.from({ length: 200 }, (_, index) => [`x-amz-meta-${index}`, 'a b, c d, e f, g h'] as const);
    const query = Array.from({ length: 200 }, (_, index) => `p${index}=%20a`).join('&');
    const head = headOf({
      target: `/bucket/${'a//'.repeat(200)}?${query}`,
      headers: Object.fromEntries(names),
      secretKey: 'guessed',
    });
    const diagnoser = new SignatureDiagnoser(SOURCES);
    const before = process.threadCpuUsage();
    expect(diagnoser.explain(refused(head, MISMATCH))?.hints).not.toHaveLength(0);
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(150);
  });

  it.each([
    ['no signature', ['host', 'localhost']],
    ['a header of nonsense', ['authorization', 'AWS4-HMAC-SHA256 Credential=,SignedHeaders=,Signature=']],
    ['nothing', []],
  ])('bears %s', (_, rawHeaders) => {
    const diagnosis = new SignatureDiagnoser(SOURCES).explain(
      refused({ ...headOf({}), rawHeaders }, new S3Error('AccessDenied')),
    );
    expect(diagnosis?.canonicalRequest).toBeUndefined();
  });
});
