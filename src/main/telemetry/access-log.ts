import { resolve } from 'node:path';
import { pino } from 'pino';
import type { Config } from '../../../config/schema.ts';
import { AccessLog } from '../../observe/access-log/access-log.ts';
import type { Log } from '../../observe/log.ts';
import { StartError } from '../start-error.ts';

/** Text gathered before it is written: a write per line would cost more than the line. */
const BUFFER_BYTES = 8 * 1024;
/** A reader of a quiet log waits no longer for it. */
const FLUSH_MS = 1000;

export interface OpenAccessLog {
  readonly observer: AccessLog;
  /** Writes what is still in memory. */
  close(): void;
}

/** @param folder that relative file names start from @returns undefined when there is to be none @throws StartError */
export function openAccessLog(
  { format, file }: Config['accessLog'],
  folder: string,
  log: Log,
): OpenAccessLog | undefined {
  if (format === 'off') return undefined;
  const path = file === undefined ? undefined : resolve(folder, file);
  let sink;
  try {
    sink = pino.destination({ dest: path ?? 1, sync: true, minLength: BUFFER_BYTES, mkdir: true });
  } catch (error) {
    throw new StartError(
      [`accessLog.file: ${path ?? ''} cannot be written (${error instanceof Error ? error.message : String(error)})`],
      error,
    );
  }
  sink.on('error', (error: Error) => log.error({ err: error }, 'the access log cannot be written'));
  const flush = setInterval(() => sink.flush(), FLUSH_MS).unref();
  const reopen = (): void => sink.reopen();
  if (path !== undefined) process.on('SIGHUP', reopen);
  return {
    observer: new AccessLog(format, sink),
    close() {
      clearInterval(flush);
      process.off('SIGHUP', reopen);
      sink.flushSync();
    },
  };
}
