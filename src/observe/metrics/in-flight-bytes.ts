import type { RequestFacts, RequestObserver } from '../request-facts.ts';

/** How much the bodies of requests under way come to, as announced: what clients send, and what they are sent. */
export class InFlightBytes implements RequestObserver {
  readonly #underWay = new Set<RequestFacts>();

  begun(facts: RequestFacts): void {
    this.#underWay.add(facts);
  }

  ended(facts: RequestFacts): void {
    this.#underWay.delete(facts);
  }

  /** Bodies whose size nobody announced count for nothing. */
  get total(): number {
    let bytes = 0;
    for (const facts of this.#underWay) bytes += announced(facts);
    return bytes;
  }
}

function announced({ body, answerBytes = 0, head }: RequestFacts): number {
  const answer = head.method === 'HEAD' ? 0 : answerBytes;
  return (body?.declaredSize ?? body?.contentLength ?? 0) + answer;
}
