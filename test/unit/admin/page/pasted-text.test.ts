import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Digest, isStringToSign, preparePasted } from '../../../../src/admin/page/web/pasted-text.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const digest: Digest = async (text) => sha256(text);
const noDigest: Digest = async () => undefined;
const TOKEN = 'FwoGZXIvYXdzEBYaD+secret/token==';
const MARK = `<${TOKEN.length} chars, sha256 ${sha256(TOKEN).slice(0, 8)}>`;

describe('what is done to a pasted text before it is compared', () => {
  it('nothing, as a rule', async () => {
    expect(await preparePasted('a\nb', 'a\r\nc ', digest)).toEqual({ text: 'a\r\nc ', notes: [] });
  });

  it.each([
    ['as a log writes it', 'PUT\\n/a\\n', 'PUT\n/a\n'],
    ['as JSON has it', ' "PUT\\n/a\\tb\\"\\n" ', 'PUT\n/a\tb"\n'],
  ])('line breaks are read from %s', async (_, pasted, text) => {
    const prepared = await preparePasted('PUT', pasted, digest);
    expect(prepared).toMatchObject({ text });
    expect(prepared.notes).toHaveLength(1);
  });

  it('a backslash in a text that has line breaks stays', async () => {
    expect(await preparePasted('a', 'x\\n\ny', digest)).toEqual({ text: 'x\\n\ny', notes: [] });
  });

  it('a credential becomes its mark where length and hash fit', async () => {
    const server = `host:h\nx-amz-security-token:${MARK}\n`;
    const prepared = await preparePasted(server, `host:h\nx-amz-security-token:${TOKEN}\n`, digest);
    expect(prepared.text).toBe(server);
    expect(prepared.notes[0]).toContain('replaced');
  });

  it('so it does in a query, where it stands encoded', async () => {
    const server = `X-Amz-Date=1&X-Amz-Security-Token=${MARK}&a=b`;
    expect(
      (await preparePasted(server, `X-Amz-Date=1&X-Amz-Security-Token=${encodeURIComponent(TOKEN)}&a=b`, digest)).text,
    ).toBe(server);
  });

  it('another credential of the same length stays, unless the browser has no hashes', async () => {
    const server = `x-amz-security-token:${MARK}`;
    const other = `x-amz-security-token:${TOKEN.toLowerCase()}`;
    expect((await preparePasted(server, other, digest)).text).toBe(other);
    expect((await preparePasted(server, other, noDigest)).text).toBe(server);
    expect((await preparePasted(server, `${other}x`, noDigest)).text).toBe(`${other}x`);
  });

  it('several in one line are told apart by what stands between them', async () => {
    const server = `a=${MARK}&b=${MARK}&c`;
    expect((await preparePasted(server, `a=${TOKEN}&b=${TOKEN}&c`, digest)).text).toBe(server);
    for (const other of [`a=${TOKEN}&b=&c`, `a=${TOKEN}&b=${TOKEN}`, `${TOKEN}&b=${TOKEN}&c`]) {
      expect((await preparePasted(server, other, digest)).text).toBe(other);
    }
  });

  it('a line of what only looks like marks, as a stranger may send it, is looked through once', async () => {
    const server = `${'<1 chars, sha256 00000000>x'.repeat(500)}z`;
    const pasted = `${'x'.repeat(50_000)}y`;
    // Tried again from each place: for ever.
    expect((await preparePasted(server, pasted, noDigest)).text).toBe(pasted);
  });

  it.each([
    ['AWS4-HMAC-SHA256\n2026', true],
    ['\n "AWS4-HMAC-SHA256\\n', true],
    ['AWS4-HMAC-SHA256-PAYLOAD\n', true],
    ['PUT\n/\n', false],
  ])('%j is a string to sign: %s', (text, expected) => {
    expect(isStringToSign(text)).toBe(expected);
  });
});
