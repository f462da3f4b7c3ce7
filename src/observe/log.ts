/** What the layers need of a logger; pino's is one. Never given a secret or a signature. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
