import { stripTypeScriptTypes } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Takes the types out of sources for the browser, as Node does with its own: each becomes blanks, so that lines and
 * columns stay.
 */
parentPort?.postMessage((workerData as readonly string[]).map((source) => stripTypeScriptTypes(source)));
