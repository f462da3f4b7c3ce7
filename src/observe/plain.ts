/**
 * Some code stands twice: plainly, and beside it a quick twin for the commonest case. `S3GW_PLAIN=1` in the environment
 * of the process switches all twins off (CONTRIBUTING.md, "Twins"). It is for tests, and for finding out whether a
 * fault lies in a twin.
 */
export const isPlain = process.env['S3GW_PLAIN'] === '1';
