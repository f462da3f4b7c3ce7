import process from 'node:process';
import { onSupportedNode } from './supported-node.mjs';

await onSupportedNode('npm run admin', async () => {
  const { adminMain } = await import('./main/admin-command/admin-main.ts');
  process.exitCode = await adminMain(process.argv.slice(2), process.env);
});
