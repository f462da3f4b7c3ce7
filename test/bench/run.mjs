// Plain JavaScript, so that an older Node gets as far as saying what is wrong.
import process from 'node:process';

const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  process.stderr.write(`the bench needs Node ${NEEDED} or newer, this is ${process.version}: run it with "npm run bench", which uses the Node that "npm ci" brought.\n`);
  process.exitCode = 1;
} else {
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
}
