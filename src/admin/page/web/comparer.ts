import { compareTexts, type Comparison } from './compare-text.ts';
import { isStringToSign, preparePasted } from './pasted-text.ts';

export interface Compared {
  /** Which of the server's texts it was held against. */
  readonly against: 'canonical request' | 'string to sign';
  readonly comparison: Comparison;
  readonly notes: readonly string[];
}

export interface ServerTexts {
  readonly canonicalRequest: string;
  readonly stringToSign: string;
}

/**
 * Holds what a person pasted against what the server computed. It lives in this page only: never sent, never stored.
 */
export class Comparer {
  readonly #changed: () => void;
  #turn = 0;
  result: Compared | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  clear(): void {
    this.#turn += 1;
    this.result = undefined;
  }

  async compare(pasted: string, texts: ServerTexts): Promise<void> {
    this.clear();
    const turn = this.#turn;
    if (pasted !== '') {
      const against = isStringToSign(pasted) ? 'string to sign' : 'canonical request';
      const server = against === 'string to sign' ? texts.stringToSign : texts.canonicalRequest;
      const { text, notes } = await preparePasted(server, pasted, sha256);
      if (turn !== this.#turn) return;
      this.result = { against, comparison: compareTexts(server, text), notes };
    }
    this.#changed();
  }
}

/** Browsers offer hashes to pages of secure origins only: https, and loopback. */
async function sha256(text: string): Promise<string | undefined> {
  if (!isSecureContext) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
