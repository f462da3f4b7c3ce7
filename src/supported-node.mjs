// Plain JavaScript, so that an older Node gets as far as saying what is wrong.
import process from 'node:process';

const NEEDED = 24;

/**
 * Runs `start` if this Node is new enough; else one line on standard error and exit code 1.
 * @param {string} command what to type instead: npm runs scripts with the Node that `npm ci` brought
 * @param {() => Promise<void>} start imports the program first: its sources are TypeScript
 */
export async function onSupportedNode(command, start) {
  if (Number(process.versions.node.split('.')[0]) >= NEEDED) return start();
  process.stderr.write(
    `s3-cloud-gateway needs Node ${NEEDED} or newer, this is ${process.version}: use "${command}", which runs on the Node that "npm ci" brought.\n`,
  );
  process.exitCode = 1;
}
