/**
 * Says in a route's `config` who may use it. `token`: callers with a token, where one is asked for. `open`: all
 * callers, but no page of another site. `probe`: all callers, whatever the request looks like.
 */
export type RouteAccess = 'token' | 'open' | 'probe';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: `token`. */
    readonly access?: RouteAccess;
  }
}
