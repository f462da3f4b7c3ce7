import { expect, it } from 'vitest';
import type { BodyFlow } from '../../../../src/protocol/body/body-flow.ts';
import { readForm } from '../../../../src/protocol/form/form-reader.ts';
import { BOUNDARY, formBody } from '../../../support/clients/post-form.ts';

const FORMS = 8;
const BODY = formBody({
  fields: [['key', 'k'], ...Array.from({ length: 100 }, (_, n) => [`x-${n}`, 'y'] as const)],
  file: 'x',
});

/** A flow whose bytes the test says. */
function flowOf(): { readonly flow: BodyFlow; readonly send: (bytes: Buffer) => void } {
  let payload: ((bytes: Buffer) => void) | undefined;
  const flow = {
    start: (sink: { payload(bytes: Buffer): void }) => (payload = (bytes) => sink.payload(bytes)),
    pause: () => undefined,
    resume: () => undefined,
    stop: () => undefined,
  };
  return { flow: flow as unknown as BodyFlow, send: (bytes) => payload?.(bytes) };
}

it('of forms that come at once one is read in each round of the event loop', async () => {
  let read = 0;
  const flows = Array.from({ length: FORMS }, flowOf);
  const forms = flows.map(async ({ flow }) => {
    const form = await readForm(flow, `multipart/form-data; boundary=${BOUNDARY}`, () => true);
    read += 1;
    return form;
  });
  for (const { send } of flows) send(BODY);
  const after: number[] = [];
  for (let round = 0; round < 4 * FORMS && read < FORMS; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    after.push(read);
  }
  expect(after.filter((count, round) => count - (after[round - 1] ?? 0) > 1)).toEqual([]);
  expect((await Promise.all(forms)).map(({ fields }) => fields.get('key'))).toEqual(Array<string>(FORMS).fill('k'));
});
