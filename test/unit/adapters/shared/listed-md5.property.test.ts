import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ListedMd5s } from '../../../../adapters/shared/listed-md5.ts';
import '../../../support/property-seed.ts';

test('all that were added come out in hex, in their order, however many they are', () => {
  const digest = fc.uint8Array({ minLength: 16, maxLength: 16 });
  const other = fc.constantFrom(
    '',
    'short==',
    '='.repeat(24),
    `${'A'.repeat(21)}_==`,
    'A'.repeat(24),
    `é${'A'.repeat(21)}==`,
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 20, arbitrary: digest }, other), { maxLength: 300, size: 'max' }),
      (list) => {
        const md5s = new ListedMd5s();
        for (const one of list) {
          expect(md5s.add(typeof one === 'string' ? one : Buffer.from(one).toString('base64'))).toBe(
            typeof one !== 'string',
          );
        }
        const digests = list.filter((one) => typeof one !== 'string');
        expect(md5s.inHex()).toEqual(digests.map((one) => Buffer.from(one).toString('hex')));
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
});
