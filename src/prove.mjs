import process from 'node:process';
import { onSupportedNode } from './supported-node.mjs';

await onSupportedNode('npm run prove', async () => {
  const { proveMain } = await import('./main/prove/prove-main.ts');
  await proveMain(process.argv.slice(2), process.env);
});
