import type { FastifyReply, FastifyRequest } from 'fastify';
import { credentialsOf } from '../replicas/peer-client.ts';
import type { Caller, Question } from './all-requests.ts';
import { type RawQuery, scopeOf } from './queries.ts';

/** Query parameters of a request. */
export function queryOf(request: FastifyRequest): RawQuery {
  return request.query as RawQuery;
}

/** What a request asks for, as other replicas are asked. */
export function questionOf(request: FastifyRequest, reply: FastifyReply): Question {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(queryOf(request))) {
    if (name !== 'scope' && typeof value === 'string') query.set(name, value);
  }
  return { ...callerOf(request, reply), scope: scopeOf(queryOf(request)), query };
}

/** Who asks: until the connection closes. */
export function callerOf(request: FastifyRequest, reply: FastifyReply): Caller {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return { credentials: credentialsOf(request.headers), signal: gone.signal };
}
