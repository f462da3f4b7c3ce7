// Plain JavaScript, so that an older Node gets as far as saying what is wrong.
import process from 'node:process';

const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    `s3-cloud-gateway needs Node ${NEEDED} or newer, this is ${process.version}: run this with "npm run export-plain", which uses the Node that "npm ci" brought.\n`,
  );
  process.exitCode = 1;
} else {
  const { exportMain } = await import('./main/sweep-export-main.ts');
  await exportMain(process.argv.slice(2), process.env);
}
