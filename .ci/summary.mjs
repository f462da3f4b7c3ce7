// Reads vitest's JSON report and prints the outcome as the last line: "N passed, N failed[, N skipped]".
// Usage: node .ci/summary.mjs <report.json> [name of a failed check ...]. Each such check counts as one failure.
// Exits 1 when anything failed, a file could not be run, or nothing ran.
import { readFileSync } from 'node:fs';

const [path, ...failedChecks] = process.argv.slice(2);
const report = read(path);
const files = report.testResults ?? [];
/** A file that broke before its tests were known (import error, failed hook) counts as one failure. */
const broken = files.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
);
for (const file of broken) console.log(`could not be run: ${file.name}\n${file.message ?? ''}`);

const passed = report.numPassedTests ?? 0;
const failed = (report.numFailedTests ?? 0) + broken.length + failedChecks.length;
const skipped = (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
if (skipped > 0) list('skipped', ['pending', 'skipped', 'todo']);
if (failed > 0) list('failed', ['failed']);
for (const check of failedChecks) console.log(`failed: ${check}`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 || passed === 0 || report.success !== true ? 1 : 0;

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    console.log(`no test report: ${error.message}`);
    return { success: false, numFailedTests: 1 };
  }
}

function list(title, states) {
  for (const file of files) {
    for (const test of file.assertionResults) {
      if (!states.includes(test.status)) continue;
      const why = test.failureMessages?.[0]?.split('\n', 1)[0];
      console.log(`${title}: ${file.name}: ${test.fullName}${why ? `: ${why}` : ''}`);
    }
  }
}
