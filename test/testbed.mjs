import process from 'node:process';
import { onSupportedNode } from '../src/supported-node.mjs';

await onSupportedNode('npm run testbed', async () => {
  const { main } = await import('./testbed/main.ts');
  await main(process.argv.slice(2));
});
