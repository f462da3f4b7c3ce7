import { onSupportedNode } from '../../src/supported-node.mjs';

await onSupportedNode('npm run test:events', async () => {
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
});
