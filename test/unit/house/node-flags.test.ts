import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { NODE_FLAGS } from '../../testbed/gateway-process.ts';

it('the test bed runs gateways as npm start does', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    scripts: { start: string };
  };
  expect(scripts.start).toBe(['node', ...NODE_FLAGS, 'src/start.mjs'].join(' '));
});
