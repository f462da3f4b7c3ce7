import { expect, it } from 'vitest';
import type { ObjectView } from '../../../../src/manifest/records/object-view.ts';
import { RECORD_FIELDS } from '../../../../src/manifest/records/record-fields.ts';
import { copyMetadata } from '../../../../src/operations/object/copy-metadata.ts';

const said = Object.entries(RECORD_FIELDS).filter(([, { of }]) => of === 'said');

it('takes over what was said of the source, but for what only the request of a copy says', () => {
  const content = { headers: { contentType: 'text/plain' }, userMetadata: { a: 'b' } };
  const view = { ...content, ...Object.fromEntries(said.map(([name]) => [name, `its ${name}`])) };
  const { attributes } = copyMetadata({ placement: { storageClass: 'GLACIER' } }, view as unknown as ObjectView);
  const copied = said.filter(([, row]) => !('uncopied' in row)).map(([name]) => [name, `its ${name}`]);
  expect(copied).toContainEqual(['expires', 'its expires']);
  expect(attributes).toEqual({ ...content, ...Object.fromEntries(copied), storageClass: 'GLACIER' });
});
