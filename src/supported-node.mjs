// Plain JavaScript, so that an older Node gets as far as saying what is wrong.
import module from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;

/** Whoever may write here may change the program itself, unlike the folder for temporary files, Node's default. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url));

/**
 * Runs `start` if this Node is new enough; else one line on standard error and exit code 1. What Node compiles is
 * kept for the next start, which then takes half the time; where nothing can be written, nothing is kept.
 * @param {string} command what to type instead: npm runs scripts with the Node that `npm ci` brought
 * @param {() => Promise<void>} start imports the program first: its sources are TypeScript
 */
export async function onSupportedNode(command, start) {
  if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? COMPILED);
    return start();
  }
  process.stderr.write(
    `s3-cloud-gateway needs Node ${NEEDED} or newer, this is ${process.version}: use "${command}", which runs on the Node that "npm ci" brought.\n`,
  );
  process.exitCode = 1;
}
