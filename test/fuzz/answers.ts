const CHUNKED = /\r\ntransfer-encoding: chunked/i;
const LENGTH = /\r\ncontent-length: (\d+)/i;
const INTERIM = /^HTTP\/1\.1 1\d\d /;

/**
 * @returns where the first final answer in the text ends, interim ones before it included; 0 while it is not whole.
 * @param method of its request
 */
export function endOfAnswer(text: string, method: string): number {
  let start = 0;
  let end = text.indexOf('\r\n\r\n');
  while (end >= 0 && INTERIM.test(text.slice(start, start + 16))) {
    start = end + 4;
    end = text.indexOf('\r\n\r\n', start);
  }
  if (end < 0) return 0;
  const head = text.slice(start, end);
  const body = end + 4;
  if (method === 'HEAD' || /^HTTP\/1\.1 (?:204|304) /.test(head)) return body;
  if (CHUNKED.test(head)) return endOfChunks(text, body);
  const whole = body + Number(LENGTH.exec(head)?.[1] ?? 0);
  return text.length >= whole ? whole : 0;
}

function endOfChunks(text: string, from: number): number {
  for (let at = from; ; ) {
    const line = text.indexOf('\r\n', at);
    if (line < 0) return 0;
    const size = Number.parseInt(text.slice(at, line), 16);
    at = line + 2 + size + 2;
    if (text.length < at) return 0;
    if (size === 0) return at;
  }
}
