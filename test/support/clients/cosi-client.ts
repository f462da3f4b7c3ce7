import { join } from 'node:path';
import { Client, credentials, type ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { CosiMessages, CosiMethod } from '../../../src/main/cosi/cosi-messages.ts';

const PROTO = join(import.meta.dirname, '../../../src/main/cosi/v1alpha1.proto');

/** Calls a driver as COSI's sidecar does. */
export interface CosiClient {
  /** Rejects with an error that has `code` (a number of gRPC) and `details`. */
  call<M extends CosiMethod>(
    method: M,
    request: Partial<CosiMessages[M]['request']>,
    signal?: AbortSignal,
  ): Promise<CosiMessages[M]['answer']>;
  close(): void;
}

/** @param socket path of the driver's socket */
export function cosiClient(socket: string): CosiClient {
  const loaded = loadSync(PROTO, { enums: String, defaults: true, oneofs: true });
  const methods = ['Identity', 'Provisioner'].flatMap((service) =>
    Object.entries(loaded[`cosi.v1alpha1.${service}`] as ServiceDefinition),
  );
  const client = new Client(`unix:${socket}`, credentials.createInsecure());
  return {
    async call<M extends CosiMethod>(
      method: M,
      request: Partial<CosiMessages[M]['request']>,
      signal?: AbortSignal,
    ): Promise<CosiMessages[M]['answer']> {
      const definition = methods.find(([name]) => name === method)?.[1];
      if (definition === undefined) throw new Error(`no method ${method}`);
      return new Promise((resolve, reject) => {
        const sent = client.makeUnaryRequest<object, CosiMessages[M]['answer']>(
          definition.path,
          (message) => definition.requestSerialize(message),
          (bytes) => definition.responseDeserialize(bytes) as CosiMessages[M]['answer'],
          request,
          (error, answer) => {
            if (error !== null) reject(error);
            else if (answer !== undefined) resolve(answer);
          },
        );
        signal?.addEventListener('abort', () => sent.cancel());
      });
    },
    close: () => client.close(),
  };
}
