import process from 'node:process';
import { onSupportedNode } from './supported-node.mjs';

await onSupportedNode('npm start', async () => {
  const { fitHeap } = await import('./main/workers/node-flags.ts');
  fitHeap();
  const { main } = await import('./main/main.ts');
  await main(process.argv.slice(2), process.env);
});
