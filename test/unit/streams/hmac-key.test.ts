import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HmacKey } from '../../../src/streams/hmac-key.ts';

const keys = fc.uint8Array({ maxLength: 200 });

it('any key and text of bytes: what createHmac says', () => {
  fc.assert(
    fc.property(keys, fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }), (secret, texts) => {
      const key = new HmacKey(secret);
      for (const text of texts.map((bytes) => Buffer.from(bytes).toString('latin1'))) {
        const expected = createHmac('sha256', secret).update(text, 'latin1');
        expect(key.ofLatin1(text, 'hex')).toBe(expected.digest('hex'));
      }
    }),
  );
});

it('any text of characters: the same, as UTF-8', () => {
  fc.assert(
    fc.property(keys, fc.string({ unit: 'binary', maxLength: 300 }), (secret, text) => {
      const expected = createHmac('sha256', secret).update(text, 'utf8').digest('base64');
      expect(new HmacKey(secret).ofUtf8(text, 'base64')).toBe(expected);
    }),
  );
});

it('the key is not shown to whoever prints it', () => {
  expect(JSON.stringify(new HmacKey(Buffer.from('secret')))).toBe('{}');
});
