import process from 'node:process';
import { onSupportedNode } from '../../src/supported-node.mjs';

await onSupportedNode('npm run screenshots', async () => {
  const { main } = await import('./support/screenshots.ts');
  await main(process.argv.slice(2));
  process.exitCode = 0;
});
