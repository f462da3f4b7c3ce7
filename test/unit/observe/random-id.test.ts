import { expect, it } from 'vitest';
import { newHostId, newRequestId, newTraceId, randomText } from '../../../src/observe/random-id.ts';

it.each([
  ['request id', newRequestId, /^[0-9A-V]{16}$/],
  ['trace id', newTraceId, /^[0-9a-f]{32}$/],
  ['host id', newHostId, /^[A-Za-z0-9+/]{64}$/],
  ['text of 8 bytes', () => randomText(8), /^[A-Za-z0-9_-]{11}$/],
])(
  '%s: the form is kept and none comes twice, also when the random bytes run out and are made anew',
  (_name, make, form) => {
    const made = Array.from({ length: 3000 }, make);
    for (const id of made) expect(id).toMatch(form);
    expect(new Set(made).size).toBe(made.length);
  },
);
