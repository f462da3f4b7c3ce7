import { describe, expect, it } from 'vitest';
import { HELD, plain, requestBody, type TestBody } from './bodies.ts';

/** A plain body in HTTP chunks: Node has taken them off, and nothing says how long it is. */
function inHttpChunks(content: Buffer, headers: Readonly<Record<string, string>> = {}): TestBody {
  const body = plain(content, headers);
  const { 'content-length': _length, ...rest } = body.headers;
  return { ...body, headers: { ...rest, 'transfer-encoding': 'chunked' } };
}

describe('a plain body without a length', () => {
  it('is read as far as bodies are held', async () => {
    const content = Buffer.alloc(1000, 'a');
    const opened = await requestBody(inHttpChunks(content)).open({ ...HELD, holdBytes: 1000 });
    expect(opened).toMatchObject({ kind: 'held', size: 1000 });
    if (opened.kind === 'held') expect(opened.bytes.equals(content)).toBe(true);
  });

  it('is refused when it turns out longer', async () => {
    const body = requestBody(inHttpChunks(Buffer.alloc(1001, 'a')));
    await expect(body.open({ ...HELD, holdBytes: 1000 })).rejects.toMatchObject({
      code: 'MissingContentLength',
      status: 411,
    });
  });

  it('is verified like any other', async () => {
    const body = requestBody(inHttpChunks(Buffer.from('abc'), { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' }));
    await expect(body.open(HELD)).rejects.toMatchObject({ code: 'BadDigest' });
  });
});
