import type { RawAnswer, RawRequest } from './raw-server.ts';

/** A deletion inside a batch. */
interface NullDeletion {
  readonly target: string;
  /** As `RawRequest.head`. */
  readonly head: string;
}

const CALL = /Content-ID: ?<?(\d+)>?\r\n\r\n(DELETE (\S+) HTTP\/1\.1(?:\r\n[^\r]+)*)/g;
const BOUNDARY = 'batchresponse_null';

/**
 * A batch of deletions, in the form of either service, in one chunk of no announced length, as both were recorded.
 * @param answer the head and body of an answer to one of them
 * @param idOf the `Content-ID` of the answer to a call
 */
export function answerBatch(
  { body }: RawRequest,
  status: string,
  { answer, idOf }: { readonly answer: (deletion: NullDeletion) => RawAnswer; readonly idOf: (id: string) => string },
): RawAnswer {
  let text = '';
  for (const [, id = '', head = '', target = ''] of (body?.toString('latin1') ?? '').matchAll(CALL)) {
    const given = answer({ target, head });
    const whole = typeof given === 'string' ? given : given.head + Buffer.concat(given.body).toString('latin1');
    text += `--${BOUNDARY}\r\nContent-Type: application/http\r\nContent-ID: ${idOf(id)}\r\n\r\n${whole}\r\n`;
  }
  const whole = Buffer.from(`${text}--${BOUNDARY}--\r\n`, 'latin1');
  return {
    head: `HTTP/1.1 ${status}\r\nContent-Type: multipart/mixed; boundary=${BOUNDARY}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    body: [Buffer.from(`${whole.length.toString(16)}\r\n`), whole, Buffer.from('\r\n0\r\n\r\n')],
  };
}
