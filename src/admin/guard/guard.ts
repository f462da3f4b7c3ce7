import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AdminPart, refuse } from '../server.ts';
import { Attempts, type LoginVerdict } from './attempts.ts';
import type { SessionState } from './contract.ts';
import { NO_COOKIE, isTokenText, presentedToken, tokenCookie } from './presented-token.ts';
import type { NamingCheck, TokenCheck } from './token-check.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

export interface GuardOptions {
  /** Undefined: no token is asked for; only for a port that is bound to loopback. */
  readonly tokens: TokenCheck | undefined;
  /** Names besides addresses and `localhost` under which browsers may reach the port when no token is asked for. */
  readonly names: readonly string[];
  /** The brake on guessing; absent: one of its own. */
  readonly attempts?: Attempts;
  /** Routes that change something; absent: no caller may use them. */
  readonly manage?: ManageGuard;
}

export interface ManageGuard {
  /** Those of `GuardOptions.tokens` that may change something. */
  readonly tokens: NamingCheck;
  /** Told of requests whose token was looked at and does not suffice. */
  readonly onRefused: (request: FastifyRequest, code: 'Unauthorized' | 'AccessDenied') => void;
}

type RefusedEntry = readonly [status: number, error: string];

const REFUSALS: Readonly<Record<Exclude<LoginVerdict, 'right'>, RefusedEntry>> = {
  wrong: [401, 'a token is needed here: Authorization: Bearer TOKEN'],
  unknown: [503, 'nobody who could tell about this token answers; try again'],
  braked: [429, 'too many wrong tokens came from here; wait a little and try again'],
};
/** A token and a few words around it. */
const MAX_LOGIN_BYTES = 16 * 1024;

/**
 * Who gets in on the admin port; see `contract.ts`. Everything is refused that does not say otherwise, what is not
 * there included.
 */
export function adminGuard({ tokens, names, attempts = new Attempts(), manage }: GuardOptions): AdminPart {
  const verify: Verify = async (request, token) => {
    if (tokens === undefined) return 'right';
    return isTokenText(token) ? attempts.verify(tokens, token, request.socket.remoteAddress) : 'wrong';
  };
  const ownNames = new Set(names.map((name) => name.toLowerCase()));
  const mayNotManage = manage && manageRefusal(manage, verify);

  async function refusal(request: FastifyRequest): Promise<RefusedEntry | undefined> {
    const access = request.routeOptions.config.access ?? 'token';
    if (access === 'probe') return undefined;
    if (isCrossSite(request.method, request.headers)) return [403, 'not for pages of other sites'];
    if (tokens === undefined && !isOwnHost(request.headers.host, ownNames)) {
      return [403, 'not under this host name: setting admin.names lists those that are meant'];
    }
    if (access === 'manage') return mayNotManage === undefined ? REFUSALS.wrong : mayNotManage(request);
    if (access === 'open' || tokens === undefined) return undefined;
    const verdict = await verify(request, presentedToken(request.headers));
    return verdict === 'right' ? undefined : REFUSALS[verdict];
  }

  return (app) => {
    app.decorateRequest('manager', undefined);
    app.addHook('onRequest', async (request, reply) => {
      // On the raw answer: streams are written past Fastify.
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) reply.raw.setHeader(name, value);
      const refused = await refusal(request);
      if (refused === undefined) return undefined;
      const [status, error] = refused;
      if (status === 401) reply.header('www-authenticate', 'Bearer');
      return refuse(withRetryAfter(reply, status), status, error);
    });
    addSessionRoutes(app, { isRequired: tokens !== undefined, verify });
  };
}

/**
 * What keeps a request from changing something. Only a token in the header counts: a browser sends the page's cookie by
 * itself. A token that reads is no guess, and is told that it does not suffice.
 */
function manageRefusal(
  { tokens, onRefused }: ManageGuard,
  verify: Verify,
): (request: FastifyRequest) => Promise<RefusedEntry | undefined> {
  return async (request) => {
    const { authorization } = request.headers;
    const token = presentedToken(authorization === undefined ? {} : { authorization });
    if (!isTokenText(token)) return REFUSALS.wrong;
    const known = await verify(request, token);
    if (known === 'wrong') onRefused(request, 'Unauthorized');
    if (known !== 'right') return REFUSALS[known];
    const verdict = await tokens.verify(token, request.socket.remoteAddress);
    if (verdict === 'unknown') return REFUSALS.unknown;
    if (verdict === 'right') {
      request.manager = tokens.subjectOf(token);
      return undefined;
    }
    onRefused(request, 'AccessDenied');
    return [403, 'this token may read, and change nothing'];
  };
}

/** A request without a token counts as no guess. */
type Verify = (request: FastifyRequest, token: string | undefined) => Promise<LoginVerdict>;

function withRetryAfter(reply: FastifyReply, status: number): FastifyReply {
  return status === 429 ? reply.header('retry-after', '5') : reply;
}

function addSessionRoutes(
  app: FastifyInstance,
  { isRequired, verify }: { readonly isRequired: boolean; readonly verify: Verify },
): void {
  const open = { config: { access: 'open' }, bodyLimit: MAX_LOGIN_BYTES } as const;

  app.get('/session', open, async (request): Promise<SessionState> => {
    if (!isRequired) return { required: false, authenticated: true };
    return { required: true, authenticated: (await verify(request, presentedToken(request.headers))) === 'right' };
  });

  app.post('/session', open, async (request, reply) => {
    if (!isRequired) return reply.code(204).send();
    const token = loginToken(request.body);
    const verdict = await verify(request, token);
    if (verdict !== 'right' || token === undefined) {
      const [status, error] =
        verdict === 'unknown' || verdict === 'braked' ? REFUSALS[verdict] : [401, 'that is not the token'];
      return refuse(withRetryAfter(reply, status), status, error);
    }
    return reply
      .header('set-cookie', tokenCookie(token, isHttps(request)))
      .code(204)
      .send();
  });

  app.delete(
    '/session',
    open,
    (_request, reply): FastifyReply => reply.header('set-cookie', NO_COOKIE).code(204).send(),
  );
}

function loginToken(body: unknown): string | undefined {
  const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
  return isTokenText(token) ? token : undefined;
}

/** By HTTPS through a proxy: the browser says so, and what it says cannot be set by a page. */
function isHttps({ headers: { origin } }: FastifyRequest): boolean {
  return origin?.startsWith('https:') === true;
}

/**
 * Says in a route's `config` who may use it. `token`: callers with a token, where one is asked for. `manage`: callers
 * with a token that may change something, in the header. `open`: all callers, but no page of another site. `probe`: all
 * callers, whatever the request looks like.
 */
export type RouteAccess = 'token' | 'manage' | 'open' | 'probe';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose token let the request through to a route of access `manage`. */
    manager: string | undefined;
  }
  interface FastifyContextConfig {
    /** Absent: `token`. */
    readonly access?: RouteAccess;
  }
}

/** What the page may load: files of this server, nothing else; no inline script or style, no frame around it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** On every answer of the admin port. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cache-control': 'no-store',
};

const LOCAL_NAME = /^(?:[\w-]+\.)*localhost$/;

/**
 * Whether a Host header names this server. A page of another site whose name was made to point here (DNS rebinding) is
 * taken by the browser for the same site; only its name gives it away. Addresses cannot be rebound.
 * @param names lower case, without port
 */
export function isOwnHost(host: string | undefined, names: ReadonlySet<string>): boolean {
  const name = nameOf(host ?? '');
  return isIP(name) !== 0 || LOCAL_NAME.test(name) || names.has(name);
}

/**
 * Whether a browser says that a page of another site makes the request. Links from elsewhere may open a page here: what
 * they open, they cannot read.
 */
export function isCrossSite(method: string, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  const opened =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !opened) return true;
  const { origin } = headers;
  return origin !== undefined && hostOf(origin) !== headers.host?.toLowerCase();
}

/** Without the scheme: a proxy in front may speak HTTPS. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
}

function nameOf(host: string): string {
  const [, address, name = ''] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]*))(?::\d+)?$/i.exec(host) ?? [];
  return address ?? name.toLowerCase().replace(/\.$/, '');
}
