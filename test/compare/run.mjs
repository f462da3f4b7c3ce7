import { onSupportedNode } from '../../src/supported-node.mjs';

await onSupportedNode('npm run compare', async () => {
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
});
