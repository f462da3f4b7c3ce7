import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { WholeWriter } from '../../../../../adapters/shared/http1/whole-writer.ts';

/** A socket that keeps what it was given. @param pending bytes that the kernel did not take */
function sink(pending: number): {
  readonly writableLength: number;
  readonly written: Buffer[];
  write: Socket['write'];
} {
  const written: Buffer[] = [];
  const write = ((bytes: Buffer) => written.push(bytes) > 0) as Socket['write'];
  return { writableLength: pending, written, write };
}

function textsOf(written: readonly Buffer[]): string[] {
  return written.map((bytes) => bytes.toString('latin1'));
}

it('writes head and body in one piece, into the same memory again when the kernel has it', () => {
  const writer = new WholeWriter();
  const socket = sink(0);
  writer.write(socket, 'one\xe4\r\n', Buffer.from('body'));
  expect(textsOf(socket.written)).toEqual(['one\xe4\r\nbody']);
  writer.write(socket, 'two\r\n', Buffer.from('b'));
  expect(socket.written[1]?.toString()).toBe('two\r\nb');
  expect(socket.written[1]?.buffer).toBe(socket.written[0]?.buffer);
});

it('leaves memory to a socket that still has to send it', () => {
  const writer = new WholeWriter();
  const held = sink(7);
  writer.write(held, 'one\r\n', Buffer.from('1'));
  writer.write(held, 'two\r\n', Buffer.from('2'));
  expect(textsOf(held.written)).toEqual(['one\r\n1', 'two\r\n2']);
});

it('finds memory for what does not fit', () => {
  const writer = new WholeWriter();
  const socket = sink(0);
  const head = `${'h'.repeat(20 * 1024)}\r\n`;
  writer.write(socket, head, Buffer.alloc(16 * 1024, 'b'));
  writer.write(socket, 'two\r\n', Buffer.from('2'));
  expect(textsOf(socket.written)).toEqual([head + 'b'.repeat(16 * 1024), 'two\r\n2']);
});
