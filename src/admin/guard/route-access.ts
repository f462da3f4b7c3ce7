/** Routes are for whoever has the token, unless they say otherwise in `config`. */
export type RouteAccess = 'open' | 'token';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: `token`. */
    readonly access?: RouteAccess;
  }
}
