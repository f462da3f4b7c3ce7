/**
 * How one gets in on the admin port, as types: the page and the terminal view read it. It stands alone, so that code
 * for browsers can import it.
 *
 * Every request must carry `Authorization: Bearer <token>`, or the cookie that a page gets for the token; only where no
 * token is configured (the port is bound to loopback then) nothing is asked for. Routes that say `config: { access:
 * 'open' }` are let in without: probes, the files of the page, and the session routes. Host name and origin are checked
 * for all.
 *
 * | Route | Answer |
 * |---|---|
 * | `GET /session` | `SessionState` |
 * | `POST /session` | `SessionRequest` as JSON; 204 with a cookie (HttpOnly, SameSite=Strict), or 401 |
 * | `DELETE /session` | 204; the cookie is gone |
 *
 * Everything else without a right token answers 401 and `{ "error": "..." }`.
 */
export interface SessionState {
  /** A token is asked for here. */
  readonly required: boolean;
  /** This request had a right one, or needs none. */
  readonly authenticated: boolean;
}

export interface SessionRequest {
  readonly token: string;
}
