/** What is wrong with a configuration: one line for each setting, its path and what was expected. */
export class ConfigError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[], cause?: unknown) {
    super(lines.join('\n'), { cause });
    this.name = 'ConfigError';
    this.lines = lines;
  }
}
