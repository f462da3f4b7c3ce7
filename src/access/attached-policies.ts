import type { AttachedPolicy } from './accounts.ts';
import type { NamedPolicy, PolicyDocument, PolicyKind } from './policy/document.ts';
import { parsePolicy } from './policy/parse.ts';

/** Texts whose documents are remembered: each session brings its own. */
const REMEMBERED = 1000;

const byAttachment = new WeakMap<AttachedPolicy, NamedPolicy>();
const byText = new Map<string, PolicyDocument>();

/** The documents behind what is attached to an identity or a session; each is parsed once. */
export function documentsOf(attached: readonly AttachedPolicy[], kind: PolicyKind): readonly NamedPolicy[] {
  return attached.map((policy) => {
    const known = byAttachment.get(policy);
    if (known !== undefined) return known;
    const named = { name: policy.name, document: documentOf(policy.text, kind) };
    byAttachment.set(policy, named);
    return named;
  });
}

/** The document of a text that was checked when it was taken; one that cannot be read after all denies everything. */
export function documentOf(text: string, kind: PolicyKind): PolicyDocument {
  const key = `${kind} ${text}`;
  const known = byText.get(key);
  if (known !== undefined) {
    byText.delete(key);
    byText.set(key, known);
    return known;
  }
  const document = parsePolicy(text, kind).document ?? UNREADABLE[kind];
  byText.set(key, document);
  for (const oldest of byText.keys()) {
    if (byText.size <= REMEMBERED) break;
    byText.delete(oldest);
  }
  return document;
}

function denial(fields: object, kind: PolicyKind): PolicyDocument {
  const text = JSON.stringify({ Statement: { Effect: 'Deny', ...fields } });
  const { document } = parsePolicy(text, kind);
  if (document === undefined) throw new Error(`no policy of kind ${kind} denies everything`);
  return document;
}

const UNREADABLE: Readonly<Record<PolicyKind, PolicyDocument>> = {
  identity: denial({ Action: '*', Resource: '*' }, 'identity'),
  session: denial({ Action: '*', Resource: '*' }, 'session'),
  resource: denial({ Principal: '*', Action: '*', Resource: 'arn:aws:s3:::*' }, 'resource'),
  trust: denial({ Principal: '*', Action: '*' }, 'trust'),
};
