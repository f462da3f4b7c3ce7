import type { Principal } from './accounts.ts';
import { policyCaller } from './policy-caller.ts';
import type { ConditionKeys, PolicyCaller, PolicyContext, SteadyFacts } from './policy/context.ts';
import { type AskedRequest, type DecidedResource, decisionKeys } from './request-keys.ts';

interface Decided {
  readonly principal: Principal;
  readonly action: string;
  readonly resource: DecidedResource;
  readonly asked: AskedRequest;
}

/**
 * The question that policies are asked for one decision. It translates the caller and the request into the terms of
 * policies only when a statement asks for them.
 */
export class DecisionContext implements PolicyContext, SteadyFacts {
  readonly #decided: Decided;
  readonly action: string;
  readonly resource: string;
  readonly account: object | undefined;
  readonly user: object | undefined;
  readonly isTemporary: boolean;
  readonly clientAddress: string | undefined;
  readonly scheme: string;
  readonly tlsVersion: string | undefined;
  readonly region: string;
  readonly now: number;
  #caller: PolicyCaller | undefined = undefined;
  #keys: ConditionKeys | undefined = undefined;

  /** @param resource ARN */
  constructor(decided: Decided, resource: string) {
    const { principal, action, asked } = decided;
    const isKnown = principal.kind === 'account';
    this.#decided = decided;
    this.action = action;
    this.resource = resource;
    this.account = isKnown ? principal.account : undefined;
    this.user = isKnown ? principal.user : undefined;
    this.isTemporary = isKnown && principal.session !== undefined;
    this.clientAddress = asked.clientAddress;
    this.scheme = asked.scheme;
    this.tlsVersion = asked.tlsVersion;
    this.region = asked.region;
    this.now = asked.now;
  }

  get caller(): PolicyCaller {
    return (this.#caller ??= policyCaller(this.#decided.principal));
  }

  get keys(): ConditionKeys {
    return (this.#keys ??= decisionKeys(this.action, this.#decided));
  }

  /**
   * Undefined when the request's body answers conditions: it may answer any key, so nothing about the decision is
   * steady.
   */
  get steady(): SteadyFacts | undefined {
    return this.#decided.resource.says === undefined ? this : undefined;
  }
}
