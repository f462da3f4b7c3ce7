/**
 * Who may use a route, said in its `config`. `token`: whoever has a token, where one is asked for. `open`: everybody,
 * but no other site's page. `probe`: everybody, whatever the request looks like.
 */
export type RouteAccess = 'token' | 'open' | 'probe';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: `token`. */
    readonly access?: RouteAccess;
  }
}
