/** Requests made to end a process or to keep it busy, by their names. */
export interface Killer {
  /** Connections that do it at a time. */
  readonly connections: number;
  /** What one of them sends, in turn; made anew for each, as signatures grow old. */
  readonly pieces: (index: number) => readonly (string | Buffer)[];
  /** Of the flood, among which its connections are shared; absent: one. */
  readonly addresses?: number;
  /** Sends, and keeps the connection without going on. */
  readonly holds?: boolean;
  /** Reads its answer to the end at this pace, bytes per second; absent: its first bytes are enough. */
  readonly reads?: number;
  /** Sends to the listener for TLS, without the encryption of a client of TLS. */
  readonly tls?: boolean;
  /** Shakes hands as a client of TLS first. */
  readonly encrypted?: boolean;
}
