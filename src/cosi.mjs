import process from 'node:process';
import { onSupportedNode } from './supported-node.mjs';

await onSupportedNode('npm run cosi', async () => {
  const { cosiMain } = await import('./main/cosi/cosi-main.ts');
  await cosiMain(process.argv.slice(2), process.env);
});
