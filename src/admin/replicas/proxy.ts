import httpProxy from '@fastify/http-proxy';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../server.ts';
import { credentialsOf } from './peer-client.ts';
import type { Replicas } from './replicas.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Base URL of the peer that a proxied request goes to. */
    peerUrl?: string;
  }
}

/**
 * What one replica may ask of another: what that has, or a worker beside it; never what it would ask of all in turn.
 */
const FORWARDED = /^(?:replicas\/[^/]+\/)?(?:requests(?:\/[^/]+(?:\/bundle)?)?|requests\.har|timeline|objects\/[^/]+)$/;
interface ReplicaParams {
  readonly replica: string;
  readonly '*': string;
}

/** `/api/replicas/:replica/...`: the same routes of another replica, which must be one of the configured ones. */
export function proxyToReplicas(app: FastifyInstance, replicas: Replicas): void {
  void app.register(httpProxy, {
    prefix: '/api/replicas/:replica',
    rewritePrefix: '/api',
    upstream: '',
    httpMethods: ['GET'],
    proxyPayloads: false,
    disableRequestLogging: true,
    preHandler: (request, reply, done) => {
      choosePeer(replicas, request, reply).then(
        (isChosen) => {
          if (isChosen) done();
        },
        (error: unknown) => done(error as Error),
      );
    },
    replyOptions: {
      getUpstream: (request) => request.peerUrl ?? '',
      rewriteRequestHeaders: (request, { host, accept }) => ({ host, accept, ...credentialsOf(request.headers) }),
      onError: (reply) => void refuse(reply as FastifyReply, 502, 'the replica does not answer'),
    },
  });
}

/** @returns whether the request goes on */
async function choosePeer(replicas: Replicas, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const { replica, '*': path } = request.params as ReplicaParams;
  const { scope } = request.query as { readonly scope?: string };
  if (!FORWARDED.test(path) || scope === 'all') {
    refuse(reply, 404, 'another replica is not asked for this');
    return false;
  }
  const signal = AbortSignal.timeout(10_000);
  const url = await replicas.find(replica, { credentials: credentialsOf(request.headers), signal });
  if (url === undefined) {
    refuse(reply, 404, 'there is no replica of this name that answers');
    return false;
  }
  request.peerUrl = url;
  return true;
}
