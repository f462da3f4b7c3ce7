import { describe, expect, it } from 'vitest';
import { FormFields, withFilename } from '../../../../src/protocol/form/form-fields.ts';
import { asFieldValue } from '../../../../src/protocol/headers/field-text.ts';
import { cpuTimeOf } from '../../../support/cpu-time.ts';

const MOST = 20 * 1024;

function fields(...entries: readonly (readonly [string, string])[]): FormFields {
  const all = new FormFields();
  for (const [name, value] of entries) all.add(name, value);
  return all;
}

describe('the name of the file in fields', () => {
  it('stands wherever a value asks for it, and not in what is signed', () => {
    const named = withFilename(fields(['key', '${filename}/${filename}'], ['policy', '${filename}']), '$&', MOST);
    expect([named.get('key'), named.get('policy')]).toEqual(['$&/$&', '${filename}']);
  });

  it('makes no megabytes of some kilobytes', () => {
    const long = 'n'.repeat(8000);
    const whole = fields(['key', '${filename}'.repeat(800)]);
    const spread = fields(
      ...Array.from({ length: 100 }, (_, at) => [`x-amz-meta-${String(at)}`, '${filename}'] as const),
    );
    for (const form of [whole, spread]) {
      expect(() => withFilename(form, long, MOST)).toThrow(
        expect.objectContaining({ code: 'MaxPostPreDataLengthExceeded' }) as Error,
      );
    }
    expect(withFilename(fields(['key', '${filename}']), long, MOST).get('key')).toBe(long);
  });
});

describe('text as the value of a header', () => {
  it('loses the blanks around it, and none within', () => {
    expect(asFieldValue(' \t a \t b\t ')).toBe('a \t b');
    expect([asFieldValue('   '), asFieldValue('')]).toEqual(['', '']);
  });

  it('is read in one pass, however many blanks it has within', () => {
    const text = `a${' '.repeat(200_000)}b`;
    // Tried from each blank: ten seconds and more.
    expect(cpuTimeOf(() => expect(asFieldValue(text)).toBe(text))).toBeLessThan(2000);
  });
});
