import process from 'node:process';
import { onSupportedNode } from './supported-node.mjs';

await onSupportedNode('npm run export-plain', async () => {
  const { exportMain } = await import('./main/sweep/sweep-export-main.ts');
  await exportMain(process.argv.slice(2), process.env);
});
