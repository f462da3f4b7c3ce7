import process from 'node:process';
import { onSupportedNode } from '../../src/supported-node.mjs';

await onSupportedNode('npm run bench:list', async () => {
  const { main } = await import('./support/busy-list.ts');
  await main(process.argv.slice(2));
});
