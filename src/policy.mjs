import process from 'node:process';
import { onSupportedNode } from './supported-node.mjs';

await onSupportedNode('npm run policy', async () => {
  const { policyMain } = await import('./main/policy-main.ts');
  process.exitCode = policyMain(process.argv.slice(2), process.env);
});
