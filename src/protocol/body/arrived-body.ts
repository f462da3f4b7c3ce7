import { IncomingMessage } from 'node:http';
import { SMALL_BODY } from '../../streams/bulk-pacer.ts';
import { readBuffers } from '../../streams/read-buffers.ts';
import { incompleteBody } from './body-errors.ts';
import type { FlowOptions } from './body-flow.ts';
import { type CollectedBody, GrowingBuffer } from './collect.ts';

/**
 * Takes a small body that has come whole already, as it mostly has with its head: at once, without the listeners,
 * ticks and promises that it takes to wait for one. What is checked is the same as in `BodyFlow`.
 * @returns undefined: it has not come whole, or there is something about it that the flow shall see
 * @throws S3Error what is wrong with the body; the request is read then, all the same
 */
export function takeArrived(options: FlowOptions): CollectedBody | undefined {
  const { source, size, signal } = options;
  const isHere = source instanceof IncomingMessage && source.complete && !source.destroyed && source.errored === null;
  if (!isHere || signal.aborted || source.readableLength > SMALL_BODY) return undefined;
  options.onFirstRead();
  const into = new GrowingBuffer({ size });
  const { verifier, deframer, facts } = options;
  let received = 0;
  try {
    const bytes = source.read() as Buffer | null;
    if (bytes !== null) {
      readBuffers.note(bytes.length);
      deframer.push(bytes, (payload) => {
        received += payload.length;
        if (size !== undefined && received > size) throw incompleteBody();
        verifier.update(payload);
        into.add(payload);
      });
    }
    const trailer = deframer.end();
    if (received !== size) throw incompleteBody();
    return { bytes: into.take(), facts: verifier.finish(trailer) };
  } catch (error) {
    into.free();
    throw error;
  } finally {
    verifier.release();
    if (facts?.body !== undefined) {
      facts.body.received = received;
      facts.body.chunks = deframer.chunks;
    }
  }
}
