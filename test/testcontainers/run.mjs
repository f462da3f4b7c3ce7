import process from 'node:process';
import { onSupportedNode } from '../../src/supported-node.mjs';

await onSupportedNode('npm run test:testcontainers', async () => {
  const { main } = await import('./main.ts');
  process.exitCode = await main();
});
