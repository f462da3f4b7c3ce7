import process from 'node:process';
import { onSupportedNode } from './supported-node.mjs';

await onSupportedNode('npm run healthcheck', async () => {
  const { healthcheckMain } = await import('./main/healthcheck-main.ts');
  await healthcheckMain(process.argv.slice(2), process.env);
});
