import { askKubernetes, type KubernetesApi } from './kubernetes-api.ts';
import type { ReviewedToken } from './token-review.ts';

interface AskedToken {
  readonly token: string;
  readonly audiences: readonly string[];
}

const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';

/**
 * Asks the API server whose a token is. The gateway's own service account needs the right to create TokenReviews
 * (cluster role `system:auth-delegator`).
 * @throws Error when the server does not answer with a TokenReview; never with a token in it
 */
export async function reviewToken(
  api: KubernetesApi,
  { token, audiences }: AskedToken,
  signal: AbortSignal,
): Promise<ReviewedToken> {
  const spec = { token, ...(audiences.length > 0 && { audiences }) };
  const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec });
  const { status, body } = await askKubernetes(api, { method: 'POST', path: REVIEWS, body: review }, signal);
  if (status !== 201 && status !== 200) throw new Error(`the API server answers ${status} to a TokenReview`);
  return readReview(parsed(body));
}

/** Without the parser's own error, which quotes the answer: the token that was asked about stands in there. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error('the API server answers no JSON to a TokenReview');
  }
}

/** Takes out of an answer what has the right form; anything else counts as not authenticated. */
function readReview(answer: unknown): ReviewedToken {
  const status = member(answer, 'status');
  const user = member(status, 'user');
  const username = member(user, 'username');
  return {
    authenticated: member(status, 'authenticated') === true && typeof username === 'string',
    username: typeof username === 'string' ? username : '',
    groups: texts(member(user, 'groups')),
    audiences: texts(member(status, 'audiences')),
  };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
