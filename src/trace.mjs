import process from 'node:process';
import { onSupportedNode } from './supported-node.mjs';

await onSupportedNode('npm run trace', async () => {
  const { traceMain } = await import('./main/trace/trace-main.ts');
  await traceMain(process.argv.slice(2), process.env);
});
