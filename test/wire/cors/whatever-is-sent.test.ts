import { describe, expect, test } from 'vitest';
import fc from 'fast-check';

import { bucket, PAGE, openScene, document, allowing, put, get, allow, preflight } from './scene.ts';

openScene();

describe('whatever is sent', () => {
  const texts = fc.oneof(
    fc.constantFrom('*', '**', 'GET', 'a*b', PAGE, '', '\u00e9', '<', ']]>', '&#x0;', '&x;'),
    fc.string({ maxLength: 20 }),
  );
  const elements = fc
    .tuple(
      fc.constantFrom('ID', 'AllowedMethod', 'AllowedOrigin', 'AllowedHeader', 'ExposeHeader', 'MaxAgeSeconds', 'X'),
      texts,
    )
    .map(([name, text]) => `<${name}>${text}</${name}>`);
  const documents = fc
    .array(
      fc.array(elements, { maxLength: 8 }).map((list) => list.join('')),
      { maxLength: 4 },
    )
    .map((rules) => document(...rules));

  test('a document is kept as it was sent, or refused and nothing is changed', async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (body) => {
        const before = await get();
        const outcomeOfPut = await put(body);
        const after = await get();
        if (outcomeOfPut !== '200') {
          expect(outcomeOfPut).toMatch(/^400 (MalformedXML|InvalidRequest)$/);
          expect(after).toBe(before);
          return;
        }
        expect(await put(after)).toBe('200');
        expect(await get()).toBe(after);
      }),
      { numRuns: 150 },
    );
  });

  test('a preflight is answered, and never with a header that the rules do not give', async () => {
    await allow(allowing('GET', PAGE, '<AllowedHeader>x-*</AllowedHeader>'));
    const words = fc.string({
      unit: fc.constantFrom('a', 'A', 'x', 'X', '-', '*', ',', '.', ' ', '\t', '"', '\u00e9', ':', '/', 'https'),
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constant(PAGE), words),
        fc.oneof(fc.constant('GET'), words),
        words,
        async (origin, method, names) => {
          const answer = await preflight(`/${bucket}/key`, {
            origin: origin,
            'access-control-request-method': method,
            'access-control-request-headers': names,
          });
          const allowed =
            origin.trim() === PAGE &&
            method.trim() === 'GET' &&
            names.split(',').every((name) => name.trim() === '' || name.trim().toLowerCase().startsWith('x-'));
          expect([answer.status === 200, answer.headers['access-control-allow-origin']]).toEqual(
            allowed ? [true, PAGE] : [false, undefined],
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});
