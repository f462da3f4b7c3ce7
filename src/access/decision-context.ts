import type { ResourceArn } from '../observe/resource-arn.ts';
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
  readonly resource: ResourceArn;
  #caller: PolicyCaller | undefined = undefined;
  #keys: ConditionKeys | undefined = undefined;

  constructor(decided: Decided, resource: ResourceArn) {
    this.#decided = decided;
    this.resource = resource;
  }

  get action(): string {
    return this.#decided.action;
  }

  get account(): object | undefined {
    const { principal } = this.#decided;
    return principal.kind === 'account' ? principal.account : undefined;
  }

  get user(): object | undefined {
    const { principal } = this.#decided;
    return principal.kind === 'account' ? principal.user : undefined;
  }

  get isTemporary(): boolean {
    const { principal } = this.#decided;
    return principal.kind === 'account' && principal.session !== undefined;
  }

  get clientAddress(): string | undefined {
    return this.#decided.asked.clientAddress;
  }

  get scheme(): string {
    return this.#decided.asked.scheme;
  }

  get tlsVersion(): string | undefined {
    return this.#decided.asked.tlsVersion;
  }

  get region(): string {
    return this.#decided.asked.region;
  }

  get now(): number {
    return this.#decided.asked.now;
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
