import process from 'node:process';
import { onSupportedNode } from './supported-node.mjs';

await onSupportedNode('npm start', async () => {
  const { boundHeapGrowth, collectYoungAlone, fitHeap } = await import('./main/workers/node-flags.ts');
  fitHeap();
  boundHeapGrowth();
  collectYoungAlone();
  const { main } = await import('./main/main.ts');
  await main(process.argv.slice(2), process.env);
});
