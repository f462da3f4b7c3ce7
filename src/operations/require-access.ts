import { type Resource, authorize } from '../access/authorize.ts';
import type { OperationContext } from './operation.ts';

/**
 * Where operations ask whether their caller may do what they are about to do.
 * @param action the operation's own, unless it does something more on the way
 * @throws S3Error AccessDenied
 */
export function requireAccess(resource: Resource, { principal, operation, call }: OperationContext, action = operation.permission): void {
  authorize(principal, action, resource, call.facts);
}
