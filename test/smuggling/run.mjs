import { onSupportedNode } from '../../src/supported-node.mjs';

await onSupportedNode('npm run test:smuggling', async () => {
  const { main } = await import('./main.ts');
  await main();
});
