import { plainJson } from '../../observe/written-text.ts';

/** https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

const MAX_EVENT_CHARS = 1024 * 1024;

/** JSON has no bare line breaks, so that an event's data is one line. */
export function formatEvent(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${plainJson(JSON.stringify(data))}\n\n`;
}

/**
 * Events of a stream of bytes; comments and other fields are passed over.
 * @throws Error when one is longer than any of ours
 */
export async function* parseEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > MAX_EVENT_CHARS) throw new Error('an event is too long');
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== undefined) yield event;
    }
  }
}

function parseBlock(block: string): ServerSentEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice('event: '.length);
    else if (line.startsWith('data: ')) data.push(line.slice('data: '.length));
  }
  return data.length === 0 ? undefined : { event, data: data.join('\n') };
}
