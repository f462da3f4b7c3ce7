import type { RequestFacts, RequestObserver } from '../request-facts.ts';
import { jsonLine } from './json-line.ts';
import { s3Line } from './s3-line.ts';

export type AccessLogFormat = 'json' | 's3';

/** Takes text, all of it at once, without making the caller wait. */
interface LineSink {
  write(text: string): unknown;
}

const LINES: Readonly<Record<AccessLogFormat, (facts: RequestFacts) => string>> = { json: jsonLine, s3: s3Line };

/** A line for each request, when it has ended. */
export class AccessLog implements RequestObserver {
  readonly #sink: LineSink;
  readonly #lineOf: (facts: RequestFacts) => string;

  constructor(format: AccessLogFormat, sink: LineSink) {
    this.#sink = sink;
    this.#lineOf = LINES[format];
  }

  ended(facts: RequestFacts): void {
    this.#sink.write(`${this.#lineOf(facts)}\n`);
  }
}
