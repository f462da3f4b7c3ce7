import { chmod, lstat, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { type handleUnaryCall, Server, ServerCredentials, type ServiceDefinition, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { Log } from '../../observe/log.ts';
import { StartError, wordsOf } from '../start-error.ts';
import type { CosiMethod, CosiMessages } from './cosi-messages.ts';
import { CosiRefusal } from './cosi-refusal.ts';

const PROTO = resolve(import.meta.dirname, 'v1alpha1.proto');
/** Milliseconds for a call with all that it asks of the admin API. The sidecar sets no limit, and tries again. */
const CALL_WITHIN = 30_000;
/** Bytes. The specification allows names of 128 and maps of 4096. */
const MAX_MESSAGE = 16 * 1024;

/** What answers the calls of COSI. They throw a `CosiRefusal` where they have one. */
export type CosiCalls = {
  readonly [M in CosiMethod]: (
    request: CosiMessages[M]['request'],
    signal: AbortSignal,
  ) => Promise<CosiMessages[M]['answer']> | CosiMessages[M]['answer'];
};

interface CosiServer {
  /** Takes no more calls, and resolves when those under way have ended. */
  stop(): Promise<void>;
}

/**
 * Serves COSI's two services on a socket of the file system, which the driver's own user and group may reach.
 * @param socket its path @throws StartError
 */
export async function serveCosi(calls: CosiCalls, socket: string, log: Log): Promise<CosiServer> {
  const services = loadSync(PROTO, { enums: String, defaults: true, oneofs: true });
  const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE });
  server.addService(services['cosi.v1alpha1.Identity'] as ServiceDefinition, {
    DriverGetInfo: answerOf('DriverGetInfo', calls, log),
  });
  server.addService(services['cosi.v1alpha1.Provisioner'] as ServiceDefinition, {
    DriverCreateBucket: answerOf('DriverCreateBucket', calls, log),
    DriverDeleteBucket: answerOf('DriverDeleteBucket', calls, log),
    DriverGrantBucketAccess: answerOf('DriverGrantBucketAccess', calls, log),
    DriverRevokeBucketAccess: answerOf('DriverRevokeBucketAccess', calls, log),
  });
  await removeStale(socket);
  await new Promise<void>((bound, failed) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
      if (error === null) bound();
      else failed(new StartError([`--socket: cannot listen on ${socket}: ${wordsOf(error)}`], error));
    });
  });
  await chmod(socket, 0o660);
  return { stop: () => new Promise((stopped) => server.tryShutdown(() => stopped())) };
}

function answerOf<M extends CosiMethod>(
  method: M,
  calls: CosiCalls,
  log: Log,
): handleUnaryCall<CosiMessages[M]['request'], CosiMessages[M]['answer']> {
  return (call, callback) => {
    const cancelled = new AbortController();
    call.on('cancelled', () => cancelled.abort());
    const signal = AbortSignal.any([cancelled.signal, AbortSignal.timeout(CALL_WITHIN)]);
    const fields = { method, ...namesOf(call.request) };
    const answer = async (): Promise<CosiMessages[M]['answer']> => calls[method](call.request, signal);
    answer().then(
      (given) => {
        log.info(fields, 'answered');
        callback(null, given);
      },
      (error: unknown) => {
        const { code, message } = cosiRefusalOf(error, signal);
        log.warn({ ...fields, code, reason: wordsOf(error) }, 'refused');
        callback({ code: status[code], details: message });
      },
    );
  };
}

/** What a request is about, for the log. */
function namesOf(request: object): object {
  const { name, bucketId, accountId } = request as Readonly<Record<string, unknown>>;
  return { ...(name !== undefined && { name }), ...(bucketId !== undefined && { bucketId, accountId }) };
}

function cosiRefusalOf(error: unknown, signal: AbortSignal): CosiRefusal {
  if (error instanceof CosiRefusal) return error;
  if (signal.aborted) return new CosiRefusal('UNAVAILABLE', 'the gateway did not answer in time', error);
  return new CosiRefusal('INTERNAL', 'the driver failed; its log says why', error);
}

/** A driver that was killed leaves its socket behind, on which nothing listens. @throws StartError when one listens */
async function removeStale(socket: string): Promise<void> {
  const found = await lstat(socket).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw new StartError([`--socket: ${socket} is there, and is no socket`]);
  const listens = await new Promise<boolean>((answer) => {
    const probe = connect(socket, () => {
      probe.destroy();
      answer(true);
    });
    probe.on('error', () => answer(false));
  });
  if (listens) throw new StartError([`--socket: another driver listens on ${socket}`]);
  await rm(socket, { force: true });
}
