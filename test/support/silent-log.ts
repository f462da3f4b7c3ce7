import type { Log } from '../../src/observe/log.ts';

export const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
