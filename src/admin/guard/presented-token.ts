import type { IncomingHttpHeaders } from 'node:http';

const COOKIE = 's3gw_admin';
/** Tokens as RFC 6750 writes them; such a one needs no escape in a cookie. */
const TOKEN = /^[\w.~+/-]{1,8192}=*$/;

/** The token of a request: its `Authorization: Bearer` header, else the page's cookie. */
export function presentedToken({ authorization, cookie }: IncomingHttpHeaders): string | undefined {
  if (authorization !== undefined) return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  for (const pair of cookie?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() === COOKIE) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

export function isTokenText(text: unknown): text is string {
  return typeof text === 'string' && TOKEN.test(text);
}

/**
 * The cookie that a page gets for a token: out of reach of its scripts, never sent with what another site asks for,
 * gone with the browser. It holds the token itself, so every replica understands it and none keeps a session.
 * @param secure the page came by HTTPS
 */
export function tokenCookie(token: string, secure: boolean): string {
  return `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}

export const NO_COOKIE = `${COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
