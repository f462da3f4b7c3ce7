import type { Killer } from './killer.ts';

/*
 * More connections than a process of the chart's size has memory for, from several addresses, with nothing on them,
 * or with something that never becomes whole.
 */

const ADDRESSES = 6;
/** `limits.connections`, and some. */
const CONNECTIONS = 8500;
/** A handshake costs the flood as much as the gateway. */
const ENCRYPTED_CONNECTIONS = 1500;
const MIB = 1024 * 1024;

const lines = (bytes: number, line: (index: number) => string): string => {
  let text = '';
  for (let index = 0; text.length < bytes; index += 1) text += line(index);
  return text;
};
const HEAD = `GET /flooded/k HTTP/1.1\r\nHost: localhost\r\n${lines(12_000, (index) => `x-${String(index)}: ${'y'.repeat(40)}\r\n`)}`;
const LONG_LINE = `GET /flooded/${'k'.repeat(15_000)}`;
const FIELDS = lines(
  19_000,
  (index) => `------f\r\nContent-Disposition: form-data; name="x-amz-meta-${String(index)}"\r\n\r\ny\r\n`,
);
const FORM = `POST /flooded HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=----f\r\nContent-Length: ${String(1024 * MIB)}\r\n\r\n${FIELDS}`;
const TOKEN = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 96000\r\n\r\nAction=AssumeRoleWithWebIdentity&${'a=b&'.repeat(23_000)}`;

/** What one connection sends; texts that are sent by many are made once. */
const SENT: Readonly<Record<string, readonly string[]>> = {
  'on which nothing comes': [],
  'with half a head': [HEAD],
  'with half a line': [LONG_LINE.slice(0, 8000), LONG_LINE.slice(8000)],
  'with half a form': [FORM],
  'with half a form for tokens': [TOKEN],
};

export const CROWDS: Readonly<Record<string, Killer>> = Object.fromEntries(
  Object.entries(SENT).flatMap(([name, sent]) => {
    const bytes = sent.map((text) => Buffer.from(text));
    const killer = { addresses: ADDRESSES, holds: true, pieces: (): readonly Buffer[] => bytes };
    return [
      [`crowds of connections ${name}`, { ...killer, connections: CONNECTIONS }],
      [
        `crowds of connections ${name}, over TLS`,
        { ...killer, connections: ENCRYPTED_CONNECTIONS, tls: true, encrypted: true },
      ],
    ];
  }),
);
