import type { PolicyDocument } from './document.ts';
import { parsePolicy } from './parse.ts';

/** Texts whose documents are remembered. */
const REMEMBERED = 1000;

const byText = new Map<string, PolicyDocument>();

/**
 * The document of a bucket's policy, which was checked when it was put; one that cannot be read after all denies
 * everything.
 */
export function rememberedPolicy(text: string): PolicyDocument {
  const known = byText.get(text);
  if (known !== undefined) {
    byText.delete(text);
    byText.set(text, known);
    return known;
  }
  const document = parsePolicy(text, 'resource').document ?? UNREADABLE;
  byText.set(text, document);
  const [oldest] = byText.keys();
  if (byText.size > REMEMBERED && oldest !== undefined) byText.delete(oldest);
  return document;
}

const UNREADABLE: PolicyDocument = denyingEverything();

function denyingEverything(): PolicyDocument {
  const statement = { Effect: 'Deny', Principal: '*', Action: '*', Resource: 'arn:aws:s3:::*' };
  const { document } = parsePolicy(JSON.stringify({ Statement: statement }), 'resource');
  if (document === undefined) throw new Error('no policy denies everything');
  return document;
}
