import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatEvent, parseEvents, type ServerSentEvent } from '../../../../src/admin/replicas/server-sent-events.ts';

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function parse(text: string, size = 7): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of parseEvents(pieces(Buffer.from(text), size))) events.push(event);
  return events;
}

describe('events of a stream', () => {
  it('come back as they were sent, wherever the bytes are cut', async () => {
    const data = fc.array(fc.record({ key: fc.string({ unit: 'binary' }), size: fc.integer() }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(data, fc.integer({ min: 1, max: 50 }), async (sent, size) => {
        const events = await parse(sent.map((one) => formatEvent('finished', one)).join(''), size);
        expect(events.map((one) => ({ ...one, data: JSON.parse(one.data) as unknown }))).toEqual(
          sent.map((one) => ({ event: 'finished', data: one })),
        );
      }),
    );
  });

  it('are told from comments and from what is cut off', async () => {
    expect(await parse(': there\n\nevent: lost\ndata: {}\n\ndata: 1\ndata: 2\n\nevent: finished\ndata: {')).toEqual([
      { event: 'lost', data: '{}' },
      { event: 'message', data: '1\n2' },
    ]);
  });

  it('have a length', async () => {
    await expect(parse(`data: ${'x'.repeat(1024 * 1024 + 100)}`, 65_536)).rejects.toThrow('too long');
  });
});
