import { pino } from 'pino';
import { plainJson } from '../observe/written-text.ts';
import { redactFields, redactText } from '../observe/redact.ts';
import type { Log } from '../observe/log.ts';

/**
 * The log of a process: a line of JSON for each event on standard error, without credentials.
 * @param level least severe that is written
 */
export function createLog(level: string): Log {
  const sink = pino.destination({ fd: 2, sync: true });
  return pino(
    {
      level,
      formatters: { log: redactFields },
      hooks: {
        logMethod(args, method) {
          const [fields, message] = args as unknown[];
          method.apply(this, typeof message === 'string' ? [fields as object, redactText(message)] : args);
        },
      },
      // Messages contain names that clients chose. Control characters in them must not take effect in a reader's
      // terminal.
    },
    { write: (line) => sink.write(plainJson(line)) },
  );
}
