import { redactText } from '../observe/redact.ts';

/** Why the process cannot start, for the person who started it: one line for each reason, never a stack. */
export class StartError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[], cause?: unknown) {
    super(lines.join('\n'), { cause });
    this.name = 'StartError';
    this.lines = lines;
  }
}

const BIND_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken by another process',
  EACCES: 'this user may not bind that port',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host name',
  ENOTSUP: 'this system cannot share a port among several workers',
};

/** @param what `gateway` or `admin` */
export function bindError(what: string, host: string, port: number, error: unknown): StartError {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return new StartError([`${what}: cannot listen on ${host}:${port}: ${BIND_ERRORS[code] ?? code}`], error);
}

/** The first line of a message. The rest, such as a stack, does not help the person who started the process. */
export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/** The error's own words, and the last cause below them: refused, no such host, no permission. */
export function wordsOf(error: unknown): string {
  const words: string[] = [];
  for (let current = error; current instanceof Error && words.length < 8; current = current.cause) {
    words.push(current.message === '' ? String((current as NodeJS.ErrnoException).code) : redactText(current.message));
  }
  return [...new Set([words.at(0), words.at(-1)])].join('; ');
}
