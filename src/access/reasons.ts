import {
  type PackedDocument,
  type PackedReasons,
  type ToldStatements,
  firstStatements,
  packStatements,
} from '../observe/packed-reasons.ts';
import { ANY_RESOURCE, type ResourceArn } from '../observe/resource-arn.ts';
import type { Principal } from './accounts.ts';
import { principalArn } from './policy-caller.ts';
import type { PolicyDocument } from './policy/document.ts';
import { escapePattern } from './policy/pattern.ts';
import type { Said, Spoken } from './policy/said.ts';

/** A place whose policies may have to allow an action. */
export type Side = 'identity' | 'session' | 'bucket';

/** Most statements that the reasons of one request name. */
const MAX_LOOKED = 100;

const DOCUMENTS: Readonly<Record<Side, string>> = {
  identity: 'a policy of the caller',
  session: 'the policy of the session',
  bucket: 'bucket policy',
};

interface Decided {
  readonly action: string;
  readonly resource: ResourceArn;
  readonly said: readonly Said[];
  readonly by: Spoken | undefined;
  readonly lacking: readonly Side[];
  readonly principal: Principal;
}

/**
 * Explains a decision: worked out, in a packed form, when it is read. Holds no reference to the request, which would
 * stay in memory as long as the decision does: the journal keeps decisions longer than their requests, and collecting
 * garbage then took a tenth of all time.
 */
export class Reasons implements PackedReasons {
  readonly resource: ResourceArn;
  readonly #action: string;
  readonly #said: readonly Said[];
  readonly #by: Spoken | undefined;
  readonly #lacking: readonly Side[];
  readonly #principal: Principal;

  constructor({ action, resource, said, by, lacking, principal }: Decided) {
    this.resource = resource;
    this.#action = action;
    this.#said = said;
    this.#by = by;
    this.#lacking = lacking;
    this.#principal = principal;
  }

  get told(): ToldStatements {
    const said = this.#said;
    const only = said.length === 1 ? said[0] : undefined;
    return only !== undefined ? only.told(this.#by, toldOf) : toldOf(said, this.#by);
  }

  get remedies(): PackedReasons['remedies'] {
    if (this.#lacking.length === 0) return undefined;
    return this.#lacking.map((side) => ({ document: DOCUMENTS[side], statement: this.#smallest(side) }));
  }

  /** The smallest statement that would allow the request. Wildcards in the key are escaped. */
  #smallest(side: Side): string {
    const arn = principalArn(this.#principal);
    const escaped = this.resource === ANY_RESOURCE ? '*' : escapePattern(this.resource.text);
    return JSON.stringify({
      Effect: 'Allow',
      ...(side === 'bucket' && { Principal: arn === undefined ? '*' : { AWS: arn } }),
      Action: this.#action,
      Resource: escaped,
    });
  }
}

function toldOf(said: readonly Said[], by: Spoken | undefined): ToldStatements {
  const documents: PackedDocument[] = [];
  let decided: readonly [number, number] | undefined;
  let [room, omitted] = [MAX_LOOKED, 0];
  for (const one of said) {
    const { policy, count } = one;
    if (by?.policy === policy) decided = [documents.length, by.statement.index];
    // The statement that decided is always shown, however many statements stand before it.
    const shown = Math.max(Math.min(count, room), by?.policy === policy ? by.statement.index + 1 : 0);
    documents.push(one.packed(shown, packedOf));
    omitted += count - shown;
    room -= Math.min(shown, room);
  }
  return {
    ...(decided !== undefined && { by: decided }),
    documents,
    ...(omitted > 0 && { omitted }),
  };
}

function packedOf({ policy: { name, document }, letters, failed }: Said, shown: number): PackedDocument {
  const statements = namesOf(document);
  const conditions = failed.map(({ label }) => label);
  return {
    policy: name,
    statements: shown < document.statements.length ? firstStatements(statements, shown) : statements,
    said: letters.slice(0, shown),
    ...(conditions.length > 0 && { conditions: conditions.slice(0, shown) }),
  };
}

const packedNames = new WeakMap<PolicyDocument, string>();

function namesOf(document: PolicyDocument): string {
  const known = packedNames.get(document);
  if (known !== undefined) return known;
  const names = packStatements(
    document.statements.map(({ sid, index, effect }) => ({
      statement: sid === undefined || sid === '' ? String(index + 1) : sid,
      effect,
    })),
  );
  packedNames.set(document, names);
  return names;
}
