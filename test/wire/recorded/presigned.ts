import { outcome } from '../../support/clients/acl-client.ts';
import { roundTrip } from '../../support/clients/raw-http.ts';
import { presignedHead, signedHead } from '../../support/clients/sign-raw.ts';
import { element, type World } from '../spec/world.ts';
import { RECORDED, type RecordedRow } from './row.ts';

/** Status and code of a signed request that was changed on its way. */
async function altered(
  world: World,
  { method = 'PUT', head }: { readonly method?: string; readonly head: string },
): Promise<string[]> {
  const answer = await roundTrip(world.gateway.port, head, method);
  return [outcome(answer), element(answer.body, 'HeadersNotSigned')];
}

/** Adds a header line that nobody signed. */
function withLine(head: string, line: string): string {
  return head.replace('\r\n\r\n', `\r\n${line}\r\n\r\n`);
}

const EMPTY = { 'content-length': '0' };

export const PRESIGNED: readonly RecordedRow[] = [
  ...(
    [
      ['x-amz-content-sha256: UNSIGNED-PAYLOAD', ['200', '']],
      ['x-amz-content-sha256: unsigned-payload', ['403 AccessDenied', 'x-amz-content-sha256']],
      ['x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER', ['403 AccessDenied', 'x-amz-content-sha256']],
      ['x-amz-acl: private', ['403 AccessDenied', 'x-amz-acl']],
    ] as const
  ).map(([line, expected]) => ({
    what: `a presigned URL, and ${line} that it does not sign`,
    source: 'held against S3 by two other servers of its API, of the first value alone',
    ask: (world: World, bucket: string) =>
      altered(world, {
        head: withLine(presignedHead({ method: 'PUT', target: `/${bucket}/key`, headers: EMPTY }), line),
      }),
    expected,
  })),
  ...(
    [
      [presignedHead, RECORDED],
      [signedHead, 'reported by a client whose proxy took a header away, with the text that S3 held it against'],
    ] as const
  ).map(([sign, source]) => ({
    what: `a header that was signed and did not come: ${sign.name}`,
    source,
    ask: (world: World, bucket: string) => {
      const head = sign({ method: 'PUT', target: `/${bucket}/key`, headers: { ...EMPTY, 'x-amz-meta-a': 'b' } });
      return altered(world, { head: head.replace('x-amz-meta-a: b\r\n', '') });
    },
    expected: ['403 SignatureDoesNotMatch', ''],
  })),
];
