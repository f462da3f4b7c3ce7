// Plain JavaScript, so that an older Node gets as far as saying what is wrong.
import process from 'node:process';

const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    `s3-cloud-gateway needs Node ${NEEDED} or newer, this is ${process.version}: run the sweeper with "npm run sweep", which uses the Node that "npm ci" brought.\n`,
  );
  process.exitCode = 1;
} else {
  const { sweepMain } = await import('./main/sweep-main.ts');
  await sweepMain(process.argv.slice(2), process.env);
}
