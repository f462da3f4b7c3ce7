import process from 'node:process';
import { onSupportedNode } from './supported-node.mjs';

await onSupportedNode('npm run sweep', async () => {
  const { sweepMain } = await import('./main/sweep/sweep-main.ts');
  await sweepMain(process.argv.slice(2), process.env);
});
